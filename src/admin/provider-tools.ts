import type { CatalogueDesk, ProviderOverview } from "../catalogue/model.ts";
import type { ClientDialect } from "../core/dialect.ts";
import type { CredentialPlace, SealedCredential } from "../core/sealed-credential.ts";

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

export type ProbeTarget = { upstreamModel: string; dialect: ClientDialect };

export type ProbeResult = {
  /** Null: the provider did not answer at all. */
  status: number | null;
  firstByteMs: number | null;
  wholeMs: number;
  /** What went wrong, in words; null when the stream came to its end. */
  problem: string | null;
  examination: {
    /** The rules of a stream that were not kept. */
    broken: readonly string[];
    /** What the provider calls the model. */
    model: string;
    usage: { inputTokens: number | null; outputTokens: number | null } | null;
  } | null;
};

export type Rekeyed = {
  keyId: string;
  /** Providers whose credential has the newest key now. */
  resealed: readonly string[];
  /** Those that had it already. */
  current: readonly string[];
  /** Those that no key at hand opens. They stay as they were: another key may open them yet. */
  unopened: readonly { provider: string; problem: string }[];
};
