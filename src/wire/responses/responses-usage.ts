import { isObject } from "../../core/bytes/is-object.ts";
import { NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import { isCount, share } from "../token-count.ts";

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
    toolCalls: toolCallsOf(response["output"]),
  };
}

function toolCallsOf(output: unknown): Usage["toolCalls"] {
  if (!Array.isArray(output)) return NO_TOOL_CALLS;
  const calls: Record<string, number> = {};
  for (const item of output) {
    const name = isObject(item) && typeof item["type"] === "string" ? PROVIDER_RUN.exec(item["type"])?.[1] : undefined;
    if (name !== undefined) calls[name] = (calls[name] ?? 0) + 1;
  }
  return Object.keys(calls).length === 0 ? NO_TOOL_CALLS : calls;
}
