import type { RouteFormat } from "../request/dialect.ts";

/** What a provider is tried with. */
export type ProbeTarget = { upstreamModel: string; dialect: RouteFormat };

/** How a provider answered one small call, streamed unless it was for an embedding. */
export type ProbeResult = {
  /** Null: the provider did not answer at all. */
  status: number | null;
  firstByteMs: number | null;
  wholeMs: number;
  /** What went wrong, in words; null when the stream came to its end. */
  problem: string | null;
  examination: Examination | null;
};

/** What a provider's stream was like. */
export type Examination = {
  /** Rules it does not keep, in words; empty when its bytes can be forwarded as they come. */
  broken: readonly string[];
  /** The model as its answer names it, which callers see where nothing is repaired. */
  model: string;
  usage: { inputTokens: number | null; outputTokens: number | null } | null;
};

/** The longest answer that is asked for. */
export const PROBE_OUTPUT_TOKENS = 16;
