/**
 * Tokens of one generation in one convention: `inputTokens` is all input, cached tokens included; `outputTokens` is all
 * output, reasoning included. The parts in the other fields are shares of those two, never additions to them.
 */
export type Usage = {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
};

/** How a generation ended. Billing reads this, so it is a value and not an exception. */
export type Outcome = "completed" | "client_gone" | "upstream_failed" | "timed_out";
