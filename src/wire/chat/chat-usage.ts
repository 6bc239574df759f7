import { isObject } from "../../core/bytes/is-object.ts";
import { NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import { isCount, share } from "../token-count.ts";

/**
 * A provider's usage object, or null when it is missing or cannot be true. Anything a provider sends may be wrong, and money
 * is counted from it.
 */
export function readChatUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const inputTokens = usage["prompt_tokens"];
  const completionTokens = usage["completion_tokens"];
  if (!isCount(inputTokens) || !isCount(completionTokens)) return null;
  const input = isObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const output = isObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  const outputTokens = withReasoning(completionTokens, usage["total_tokens"], inputTokens, output["reasoning_tokens"]);
  // Moonshot has no details of its input, and says this beside it.
  const cacheReadTokens = share(input["cached_tokens"] ?? usage["cached_tokens"], inputTokens);
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: share(input["cache_write_tokens"], inputTokens - cacheReadTokens),
    cacheWrite1hTokens: 0,
    reasoningTokens: share(output["reasoning_tokens"], outputTokens),
    toolCalls: NO_TOOL_CALLS,
  };
}

/** xAI leaves reasoning out of the completion and counts it in the total only; everybody else counts it in both. */
function withReasoning(completion: number, total: unknown, input: number, reasoning: unknown): number {
  const apart = isCount(total) && isCount(reasoning) && total === input + completion + reasoning;
  return apart ? completion + reasoning : completion;
}

/** Where a chunk or a whole answer carries its usage. Groq has a name of its own for it. */
export function chatUsageIn(chunk: Record<string, unknown>): unknown {
  const groq = chunk["x_groq"];
  return chunk["usage"] ?? (isObject(groq) ? groq["usage"] : undefined);
}
