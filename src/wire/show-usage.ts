import type { Json } from "../core/bytes/json.ts";
import type { ClientDialect } from "../core/request/dialect.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { Usage } from "../core/money/usage.ts";
import { isCount } from "./token-count.ts";

type Count = (usage: Usage) => number;
/** The counts of a usage by where they stand; those within an object are one level down. */
type Counts = Readonly<Record<string, Count | Readonly<Record<string, Count>>>>;

/**
 * A table, so that what is given can be compared without making an object, which is done for every answer. In chat and responses cached
 * and reasoning tokens are shares of the totals, as they are in ours; in messages cached tokens are counted beside the input.
 */
const COUNTS: Record<ClientDialect, Counts> = {
  chat: {
    prompt_tokens: (usage) => usage.inputTokens,
    completion_tokens: (usage) => usage.outputTokens,
    total_tokens: (usage) => usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: (usage) => usage.cacheReadTokens,
      cache_write_tokens: (usage) => usage.cacheWriteTokens,
    },
    completion_tokens_details: { reasoning_tokens: (usage) => usage.reasoningTokens },
  },
  responses: {
    input_tokens: (usage) => usage.inputTokens,
    input_tokens_details: {
      cached_tokens: (usage) => usage.cacheReadTokens,
      cache_write_tokens: (usage) => usage.cacheWriteTokens,
    },
    output_tokens: (usage) => usage.outputTokens,
    output_tokens_details: { reasoning_tokens: (usage) => usage.reasoningTokens },
    total_tokens: (usage) => usage.inputTokens + usage.outputTokens,
  },
  messages: {
    input_tokens: (usage) => usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens,
    output_tokens: (usage) => usage.outputTokens,
    cache_read_input_tokens: (usage) => usage.cacheReadTokens,
    cache_creation_input_tokens: (usage) => usage.cacheWriteTokens,
    output_tokens_details: { thinking_tokens: (usage) => usage.reasoningTokens },
  },
};

function formOf(counts: Counts, usage: Usage): Json {
  const parts = Object.entries(counts).map(([name, count]) => [
    name,
    typeof count === "function" ? count(usage) : formOf(count, usage),
  ]);
  return Object.fromEntries(parts) as Json;
}

export const chatUsageOf = (usage: Usage): Json => formOf(COUNTS.chat, usage);

export const responsesUsageOf = (usage: Usage): Json => formOf(COUNTS.responses, usage);

export const messagesUsageOf = (usage: Usage): Json => ({
  ...formOf(COUNTS.messages, usage),
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
  if (!isObject(given)) return of(charged);
  if (saysAll(given, required) && says(given, COUNTS[dialect], charged) && saysTools(dialect, given, charged))
    return null;
  const right = of(charged);
  const listed = Array.isArray(given["iterations"]) && given["iterations"].length > 0;
  return listed && countsOnly(given, right) ? null : merged(given, right);
}

function saysAll(given: Json, names: readonly string[]): boolean {
  for (const name of names) if (given[name] === undefined) return false;
  return true;
}

/** Whether what is given says the same, or nothing. */
function says(given: Json, counts: Counts, charged: Usage): boolean {
  for (const name in counts) {
    const said = given[name];
    if (said === undefined || said === null) continue;
    const count = counts[name] as Counts[string];
    if (typeof count === "function" ? said !== count(charged) : !isObject(said) || !says(said, count, charged))
      return false;
  }
  return true;
}

/** Calls of tools are in one format alone, and only where there were any. */
function saysTools(dialect: ClientDialect, given: Json, charged: Usage): boolean {
  const said = given["server_tool_use"];
  if (dialect !== "messages" || said === undefined || said === null) return true;
  const right = toolUseOf(charged);
  return (
    right === null ||
    (isObject(said) && Object.entries(right).every(([name, calls]) => said[name] == null || said[name] === calls))
  );
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
