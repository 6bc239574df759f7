import type { Generation, JsonObject } from "../dialect.ts";
import { blocksOf, tierNamed } from "../plan/generation.ts";
import { serverFailure } from "../ask/openai-errors.ts";
import { outputItem } from "./response-item.ts";

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed";

/** The whole Response object at one moment of its life; output and usage appear once it has ended well. */
export function responseObject(generation: Generation, status: ResponseStatus): JsonObject {
  const { ask, createdAtSeconds, id } = generation;
  const { body } = ask;
  const ended = status === "completed" || status === "incomplete";
  const { code, message } = serverFailure.error;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: createdAtSeconds,
    status,
    background: false,
    completed_at: status === "completed" ? createdAtSeconds : null,
    error: status === "failed" ? { code, message } : null,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: ask.limitTokens,
    max_tool_calls: body["max_tool_calls"] ?? null,
    model: ask.model,
    output: ended ? blocksOf(generation).map((block, place) => outputItem(generation, block, place)) : [],
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: null,
    prompt_cache_key: body["prompt_cache_key"] ?? null,
    reasoning: body["reasoning"] ?? { effort: null, summary: null },
    safety_identifier: body["safety_identifier"] ?? null,
    service_tier: tierNamed(generation, "default"),
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: body["text"] ?? { format: { type: "text" }, verbosity: "medium" },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_logprobs: 0,
    top_p: body["top_p"] ?? 1,
    truncation: "disabled",
    usage: ended ? usageOf(generation) : null,
    user: body["user"] ?? null,
    metadata: body["metadata"] ?? {},
  };
}

function usageOf({ usage }: Generation): JsonObject | null {
  if (!usage) return null;
  return {
    ...usage.billed,
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.thoughtTokens },
    total_tokens: usage.totalTokens,
  };
}
