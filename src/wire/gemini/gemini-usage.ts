import { isObject } from "../../core/bytes/is-object.ts";
import { NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import { isCount, share } from "../token-count.ts";

/**
 * A provider's usage, or null when it is missing or cannot be true. This format counts cached tokens within the prompt, as we do,
 * but thoughts beside the candidates, and what its own tools found beside the prompt. A count of 0 is left out.
 */
export function readGeminiUsage(given: unknown): Usage | null {
  if (!isObject(given) || !tellsOfInput(given)) return null;
  const prompt = given["promptTokenCount"] ?? 0;
  const found = given["toolUsePromptTokenCount"] ?? 0;
  const candidates = given["candidatesTokenCount"] ?? 0;
  const thoughts = given["thoughtsTokenCount"] ?? 0;
  if (!isCount(prompt) || !isCount(found) || !isCount(candidates) || !isCount(thoughts)) return null;
  const inputTokens = prompt + found;
  const outputTokens = candidates + thoughts;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens: share(given["cachedContentTokenCount"], inputTokens),
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: thoughts,
    toolCalls: NO_TOOL_CALLS,
  };
}

/** Some events of a stream tell under the same name how the request was billed, and nothing of tokens. */
export const tellsOfInput = (given: Readonly<Record<string, unknown>>): boolean =>
  given["promptTokenCount"] !== undefined || given["totalTokenCount"] !== undefined;
