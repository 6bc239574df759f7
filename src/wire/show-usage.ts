import type { Json } from "../core/json.ts";
import type { ClientDialect } from "../core/dialect.ts";
import { isObject } from "../core/is-object.ts";
import type { Usage } from "../core/usage.ts";
import { isCount } from "./token-count.ts";

/** In this dialect cached and reasoning tokens are shares of the totals, as they are in ours. */
export const chatUsageOf = (usage: Usage): Json => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
});

export const responsesUsageOf = (usage: Usage): Json => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.inputTokens + usage.outputTokens,
});

/** In this dialect cached tokens are counted beside the input; in ours they are within it. */
export const messagesUsageOf = (usage: Usage): Json => ({
  input_tokens: usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens,
  output_tokens: usage.outputTokens,
  cache_read_input_tokens: usage.cacheReadTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  server_tool_use: toolUseOf(usage),
});

function toolUseOf({ toolCalls: { web_search: searches = 0, web_fetch: fetches = 0 } }: Usage): Json | null {
  return searches + fetches === 0 ? null : { web_search_requests: searches, web_fetch_requests: fetches };
}

const FORMS: Record<ClientDialect, { of: (usage: Usage) => Json; required: readonly string[] }> = {
  chat: { of: chatUsageOf, required: ["prompt_tokens", "completion_tokens", "total_tokens"] },
  responses: { of: responsesUsageOf, required: ["input_tokens", "output_tokens", "total_tokens"] },
  messages: { of: messagesUsageOf, required: ["input_tokens", "output_tokens"] },
};

/**
 * What a caller is shown in place of the usage that a provider gave, where that is not what is charged; null where it is, so that the
 * provider's bytes may stay. A usage may list passes of its own, which add up to more than the figures beside them.
 */
export function usageToShow(dialect: ClientDialect, given: unknown, charged: Usage): Json | null {
  const { of, required } = FORMS[dialect];
  const right = of(charged);
  if (!isObject(given)) return right;
  const listed = Array.isArray(given["iterations"]) && given["iterations"].length > 0;
  const same =
    required.every((name) => given[name] !== undefined) &&
    Object.entries(right).every(([name, value]) => says(given[name], value));
  if (same || (listed && countsOnly(given, right))) return null;
  return merged(given, right);
}

/** Whether what is given says the same, or nothing. */
function says(given: unknown, right: unknown): boolean {
  if (given === undefined || given === null) return true;
  if (!isObject(right)) return right === null || given === right;
  return isObject(given) && Object.entries(right).every(([name, value]) => says(given[name], value));
}

const countsOnly = (given: Json, right: Json): boolean =>
  Object.entries(right).every(
    ([name, value]) => typeof value !== "number" || given[name] == null || isCount(given[name]),
  );

function merged(given: Json, right: Json): Json {
  const parts = Object.entries(right).map(([name, value]) => {
    const beside = given[name];
    return [name, isObject(value) && isObject(beside) ? { ...beside, ...value } : value] as const;
  });
  const { iterations: _, ...rest } = given;
  return { ...rest, ...Object.fromEntries(parts) };
}
