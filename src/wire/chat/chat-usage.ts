import { isObject } from "../../core/bytes/is-object.ts";
import { NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import { billedSaid, isCount, share, sharesOf } from "../token-count.ts";
import { servedSaid, tierSaid } from "../usage/said-served.ts";

/**
 * A provider's usage object, or null when it is missing or cannot be true. Anything a provider sends may be wrong, and money
 * is counted from it. `tier` and `model`: what stands beside it.
 */
export function readChatUsage(usage: unknown, tier?: unknown, model?: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const inputTokens = usage["prompt_tokens"];
  const completionTokens = usage["completion_tokens"];
  if (!isCount(inputTokens) || !isCount(completionTokens)) return null;
  const input = isObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const output = isObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  const counts = { completion: completionTokens, total: usage["total_tokens"], input: inputTokens };
  const unsaid = unsaidThoughts(counts, model);
  const outputTokens = Math.max(completionTokens + unsaid, withReasoning(counts, output["reasoning_tokens"]));
  // Moonshot has no details of its input, and says this beside it.
  const cacheReadTokens = share(input["cached_tokens"] ?? usage["cached_tokens"], inputTokens);
  const cacheWriteTokens = share(input["cache_write_tokens"], inputTokens - cacheReadTokens);
  const reasoningTokens = unsaid || share(output["reasoning_tokens"], outputTokens);
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: 0,
    reasoningTokens,
    toolCalls: NO_TOOL_CALLS,
    ...sharesOf(
      [inputTokens - cacheReadTokens - cacheWriteTokens, { input_audio: input["audio_tokens"] }],
      [outputTokens - reasoningTokens, { output_audio: output["audio_tokens"], output_image: output["image_tokens"] }],
    ),
    ...servedSaid(tierSaid(tier)),
    ...billedSaid(usage),
  };
}

type Counts = { completion: number; total: unknown; input: number };

/** Whose models those are: the others count what they have thought where they count the rest. */
const GEMINI = /(?:^|\/)gemini-/;

/** What Google's models have thought they count in the total alone, at addresses that speak this format, and bill it. */
function unsaidThoughts({ completion, total, input }: Counts, model: unknown): number {
  const isTheirs = typeof model === "string" && GEMINI.test(model);
  return isTheirs && isCount(total) ? Math.max(0, total - input - completion) : 0;
}

/** xAI leaves reasoning out of the completion and counts it in the total only; everybody else counts it in both. */
function withReasoning({ completion, total, input }: Counts, reasoning: unknown): number {
  const apart = isCount(total) && isCount(reasoning) && total === input + completion + reasoning;
  return apart ? completion + reasoning : completion;
}

/** The usage of a chunk or a whole answer, with the tier that it names, or that an earlier chunk has named. */
export const chatUsageOf = (chunk: Record<string, unknown>, tierBefore: unknown = null): Usage | null =>
  readChatUsage(chatUsageIn(chunk), chunk["service_tier"] ?? tierBefore, chunk["model"]);

/** Where a chunk or a whole answer carries its usage. Groq has a name of its own for it. */
export function chatUsageIn(chunk: Record<string, unknown>): unknown {
  const groq = chunk["x_groq"];
  return chunk["usage"] ?? (isObject(groq) ? groq["usage"] : undefined);
}
