import type { RouteFormat } from "../request/dialect.ts";

/** How a model is reached at a provider. */
export type RouteTerms = {
  provider: string;
  upstreamModel: string;
  dialect: RouteFormat;
  /** The provider keeps the stream rules itself, so its bytes are not touched. */
  conformant: boolean;
  priority: number;
  weight: number;
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  /** Calls in progress at once in each gateway process; null: as many as come. */
  concurrencyLimit: number | null;
  /** Where it runs, in a word of the operator's; null or absent: not told. */
  region?: string | null;
};
