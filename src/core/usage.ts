/**
 * Tokens of one generation in one convention: `inputTokens` is all input, cached tokens included; `outputTokens` is all
 * output, reasoning included. The parts in the other fields are shares of those two, never additions to them.
 */
export type Usage = {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** The share of `cacheWriteTokens` that is kept for an hour, which providers price higher than five minutes. */
  cacheWrite1hTokens: number;
  reasoningTokens: number;
  /** Calls of tools that the provider ran itself, by the tool's name. */
  toolCalls: Readonly<Record<string, number>>;
};

export const NO_TOOL_CALLS: Usage["toolCalls"] = Object.freeze({});

export const NO_USAGE: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
  toolCalls: NO_TOOL_CALLS,
});

/** How a generation ended. Billing reads this, so it is a value and not an exception. */
export type Outcome = "completed" | "client_gone" | "upstream_failed" | "timed_out";
