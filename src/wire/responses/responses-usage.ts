import { isObject } from "../../core/bytes/is-object.ts";
import { NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import { billedSaid, isCount, share } from "../token-count.ts";
import { servedSaid, tierSaid } from "../usage/said-served.ts";

/** Output items that are calls of a tool the provider runs itself. */
const PROVIDER_RUN = /^(web_search|file_search|code_interpreter|image_generation|mcp|x_search|document_search)_call$/;

/** The usage of a whole Response object, or null when it is missing or cannot be true. */
export function readResponsesUsage(response: unknown): Usage | null {
  const usage = isObject(response) ? response["usage"] : null;
  if (!isObject(response) || !isObject(usage)) return null;
  const inputTokens = usage["input_tokens"];
  const outputTokens = usage["output_tokens"];
  if (!isCount(inputTokens) || !isCount(outputTokens)) return null;
  const input = isObject(usage["input_tokens_details"]) ? usage["input_tokens_details"] : {};
  const output = isObject(usage["output_tokens_details"]) ? usage["output_tokens_details"] : {};
  const cacheReadTokens = share(input["cached_tokens"], inputTokens);
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: share(input["cache_write_tokens"], inputTokens - cacheReadTokens),
    cacheWrite1hTokens: 0,
    reasoningTokens: share(output["reasoning_tokens"], outputTokens),
    toolCalls: toolCallsOf(response, usage),
    ...servedSaid(tierSaid(response["service_tier"])),
    ...billedSaid(usage),
  };
}

/** What the provider says it counted is what it bills; items are attempts. Where it says nothing, each item is a call. */
function toolCallsOf(
  { output, tool_usage: counted }: Record<string, unknown>,
  usage: Record<string, unknown>,
): Usage["toolCalls"] {
  const said = { ...requestsIn(counted), ...callsIn(usage["server_side_tool_usage_details"]) };
  const items = Array.isArray(output) ? callsAmong(output.filter(isObject)) : {};
  const calls = Object.entries({ ...items, ...said }).filter(([, count]) => count > 0);
  return calls.length === 0 ? NO_TOOL_CALLS : Object.fromEntries(calls);
}

/** Pages that a search found are opened and read for nothing. */
const FREE_ACTIONS: readonly unknown[] = ["open_page", "find_in_page"];

/** Calls by the names of their tools. */
export function callsAmong(output: readonly Record<string, unknown>[]): Record<string, number> {
  const calls: Record<string, number> = {};
  for (const { type, action } of output) {
    const name = typeof type === "string" ? PROVIDER_RUN.exec(type)?.[1] : undefined;
    if (name === undefined || (isObject(action) && FREE_ACTIONS.includes(action["type"]))) continue;
    calls[name] = (calls[name] ?? 0) + 1;
  }
  return calls;
}

/** `{ web_search: { num_requests: 1 } }`, as OpenAI says it. */
const requestsIn = (counted: unknown): Record<string, number> =>
  countsIn(counted, (name, each) => [/^\w{1,60}$/.exec(name)?.[0], isObject(each) ? each["num_requests"] : null]);

/** `{ x_search_calls: 1 }`, as xAI says it. */
const callsIn = (details: unknown): Record<string, number> =>
  countsIn(details, (name, count) => [/^(\w{1,60})_calls$/.exec(name)?.[1], count]);

function countsIn(
  value: unknown,
  read: (name: string, value: unknown) => [name: string | undefined, count: unknown],
): Record<string, number> {
  const entries = isObject(value)
    ? Object.entries(value)
        .slice(0, MOST_TOOLS)
        .map(([name, each]) => read(name, each))
    : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => entry[0] !== undefined && isCount(entry[1])),
  );
}

const MOST_TOOLS = 100;
