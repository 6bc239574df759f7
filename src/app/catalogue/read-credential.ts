import { createCatalogueStore } from "../../catalogue/catalogue-store.ts";
import type { CallCredential } from "../../core/catalogue/call-credential.ts";
import { CredentialError } from "../../credentials/credential-error.ts";
import type { Credentials } from "../../credentials/open-credentials.ts";
import type { Database } from "../../db/database.ts";

type Named = { name: string; baseUrl: string; credentialRef: string };

/** The credential of a provider itself, for a command that calls it from here; null when the provider needs none. */
export type ReadCredential = (provider: Named) => Promise<string | null>;

export const createReadCredential =
  (credentials: Pick<Credentials, "credential">, database: Database): ReadCredential =>
  async ({ name, baseUrl, credentialRef }) => {
    const stored = await createCatalogueStore(database).findProvider(name);
    const sealedCredential = stored?.sealedCredential ?? null;
    return secretIn(credentials.credential({ provider: name, baseUrl, credentialRef, sealedCredential }), name);
  };

/** Throws where it is none that a command could pass on. */
export function secretIn(credential: CallCredential, provider: string): string | null {
  if (typeof credential === "string" || credential === null) return credential;
  throw new CredentialError(
    `${provider} is called with an identity in a cloud, which this command cannot pass on. Test it with \`tollgate providers test ${provider}\`.`,
  );
}
