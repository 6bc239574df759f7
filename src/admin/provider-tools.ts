import type { CatalogueDesk, ProviderOverview } from "../catalogue/model.ts";
import type { ProbeResult, ProbeTarget } from "../core/probe.ts";
import type { CredentialPlace, Rekeyed, SealedCredential } from "../core/sealed-credential.ts";

/**
 * What is done with providers' credentials, by the process that has the keys to them. Where such a key is missing, or does not
 * fit, a `Conflict` says so.
 */
export type ProviderTools = {
  /** Why this process cannot have a provider's credential, in words without it; null when it can. */
  credentialProblem: (provider: ProviderOverview) => string | null;
  seal: (credential: string, place: CredentialPlace) => SealedCredential;
  /** Seals every stored credential with the newest key. */
  rekey: (store: Pick<CatalogueDesk, "resealCredentials">) => Promise<Rekeyed>;
  /** Makes one small streamed call to a provider, at its price. */
  probe: (provider: ProviderOverview, target: ProbeTarget) => Promise<ProbeResult>;
};
