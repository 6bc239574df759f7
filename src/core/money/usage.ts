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
  /** Shares that few requests have, by the word of their price, such as `input_audio`. Absent: there is none. */
  parts?: Readonly<Record<string, number>>;
  /** What the answer says that it was served as; absent: nothing. */
  served?: SaidServed;
  /** What the provider says that it bills, in ten thousand millionths of a dollar. Absent: it does not say. */
  billedTicks?: number;
};

/** In the words of prices. What an answer does not say is not there. */
export type SaidServed = {
  tier?: string;
  region?: string;
  /** Models that the provider names for parts of the work, in its own words. */
  models?: readonly string[];
  /** It was asked for a tier and named none; what it names here is what everybody is served. */
  silent?: true;
};

export const NO_TOOL_CALLS: Usage["toolCalls"] = Object.freeze({});

/** A request that searched, beside its searches: some models are billed by the one and some by the other. */
export const GROUNDED_PROMPT = "grounded_prompt";

export const NO_USAGE: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
  toolCalls: NO_TOOL_CALLS,
});

/** Every count of a usage changed alike. */
export function eachCount(
  { toolCalls, parts, served, billedTicks, ...tokens }: Usage,
  change: (count: number) => number,
): Usage {
  const changed = (counts: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, change(count)]));
  return {
    ...tokens,
    ...changed(tokens),
    toolCalls: changed(toolCalls),
    ...(parts === undefined ? {} : { parts: changed(parts) }),
    ...(served === undefined ? {} : { served }),
    ...(billedTicks === undefined ? {} : { billedTicks }),
  };
}

/** How a generation ended, as the books know it. Billing reads this, so it is a value and not an exception. */
export type Outcome = "completed" | "client_gone" | "upstream_failed" | "timed_out";

/** The same as the answer itself shows it. `limited`: another bound of ours than the deadline ended it, such as the size of an event. */
export type AnswerOutcome = Outcome | "limited";

/**
 * The books know one kind of end that was ours: the deadline. A limit that ends a stream is charged and recorded just as that is; one
 * that is met before anything was sent is a failure for its caller, and free.
 */
export function bookedAs({ outcome, begun }: { outcome: AnswerOutcome; begun: boolean }): Outcome {
  if (outcome !== "limited") return outcome;
  return begun ? "timed_out" : "upstream_failed";
}
