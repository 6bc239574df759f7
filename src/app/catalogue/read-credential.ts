import { createCatalogueStore } from "../../catalogue/catalogue-store.ts";
import type { CallCredential } from "../../core/catalogue/call-credential.ts";
import type { Credentials } from "../../credentials/open-credentials.ts";
import type { Database } from "../../db/database.ts";

type Named = { name: string; baseUrl: string; credentialRef: string };

/** What calls to a provider are sent with, for a command that calls it from here. */
export type ReadCredential = (provider: Named) => Promise<CallCredential>;

export const createReadCredential =
  (credentials: Pick<Credentials, "credential">, database: Database): ReadCredential =>
  async ({ name, baseUrl, credentialRef }) => {
    const stored = await createCatalogueStore(database).findProvider(name);
    const sealedCredential = stored?.sealedCredential ?? null;
    return credentials.credential({ provider: name, baseUrl, credentialRef, sealedCredential });
  };
