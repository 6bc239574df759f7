import type { GatewayParts } from "../app.ts";
import { CredentialError } from "../credentials/credential-error.ts";
import { systemClock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import type { OpenCredentials } from "./open-credentials.ts";
import { probeProvider } from "./probe/probe-provider.ts";
import { rekey } from "../credentials/rekey.ts";

type ProviderTools = GatewayParts["providerTools"];

/** What can be done with providers' credentials where the keys to them are. */
export const createProviderTools = ({ vault, credential }: OpenCredentials): ProviderTools => ({
  credentialProblem: (provider) => {
    try {
      credential({ ...provider, provider: provider.name });
      return null;
    } catch (error) {
      return error instanceof CredentialError ? error.message : "it cannot be read.";
    }
  },
  seal: (secret, place) => orConflict(() => vault.seal(secret, place)),
  rekey: (store) => rekey(store, vault),
  probe: async (provider, { upstreamModel, dialect }) => {
    const secret = orConflict(() => credential({ ...provider, provider: provider.name }));
    // Loaded here because it brings the whole gateway along, which commands that call nobody do not need.
    const { quirksAt } = await import("../app.ts");
    const target = { baseUrl: provider.baseUrl, upstreamModel, dialect, secret, quirks: quirksAt(provider.baseUrl) };
    return probeProvider(target, { fetch, elapsedMs: systemClock.elapsedMs });
  },
});

/** A key that is missing is a state of things that an operator can change, and no bug of ours. */
function orConflict<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof CredentialError) throw new Conflict(error.message, { cause: error });
    throw error;
  }
}
