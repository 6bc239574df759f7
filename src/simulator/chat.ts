import type { Ask, Dialect, Generation, JsonObject, StreamEncoder } from "./dialect.ts";
import { refuseLikeOpenai, serverFailure } from "./openai-errors.ts";
import { isObject } from "../core/is-object.ts";
import { readCount, readMessages, readModel, readStreamed } from "./read-field.ts";

const DONE = "data: [DONE]\n\n";

export const chat: Dialect = {
  name: "chat",
  folder: "chat-completions",
  credentialHeaders: ["authorization"],
  requestIdHeader: "x-request-id",
  read,
  encode,
  answer,
  refuse: refuseLikeOpenai,
  frame: (data) => `data: ${data}\n\n`,
  terminator: DONE,
};

function read(body: JsonObject): Ask {
  const options = body["stream_options"];
  return {
    model: readModel(body),
    streamed: readStreamed(body),
    limitTokens: readCount(body, "max_completion_tokens") ?? readCount(body, "max_tokens"),
    choices: readCount(body, "n", 128) ?? 1,
    streamUsage: isObject(options) && options["include_usage"] === true,
    prompt: [readMessages(body), body["tools"]],
    body,
  };
}

function encode(generation: Generation): StreamEncoder {
  const { ask, content, tool, tokens } = generation;
  const choices = ask.choices;
  const suffix = ask.streamUsage ? ',"usage":null}\n\n' : "}\n\n";
  const head = `data: ${JSON.stringify(envelope(generation, "chat.completion.chunk")).slice(0, -1)},"choices":`;
  const chunk = (index: number, delta: string, finish: string) =>
    `${head}[{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${finish}}]${suffix}`;
  const before = Array.from({ length: choices }, (_, index) =>
    tool === null
      ? `${head}[{"index":${index},"delta":{"content":"`
      : `${head}[{"index":${index},"delta":{"tool_calls":[{"index":0,"function":{"arguments":"`,
  );
  const after = `${tool === null ? '"}' : '"}}]}'},"logprobs":null,"finish_reason":null}]${suffix}`;

  return {
    tokens: tokens * choices,
    opening: before.map((_, index) => chunk(index, JSON.stringify(openingDelta(generation, index)), "null")),
    // Choices take turns, so that every token is one event and a position in a script means the same for any `n`.
    token:
      choices === 1
        ? (index) => before[0] + content.escapedPiece(index) + after
        : (index) => before[index % choices] + content.escapedPiece(Math.floor(index / choices)) + after,
    closing: () => [
      ...before.map((_, index) => chunk(index, "{}", JSON.stringify(finishReason(generation)))),
      ...(ask.streamUsage && generation.usage ? [`${head}[],"usage":${JSON.stringify(usageOf(generation))}}\n\n`] : []),
      DONE,
    ],
    failure: () => `data: ${JSON.stringify(serverFailure)}\n\n`,
    broken: `${before[0]}\n\n`,
  };
}

function openingDelta(generation: Generation, index: number): JsonObject {
  const { tool } = generation;
  if (tool === null) return { role: "assistant", content: "", refusal: null };
  const call = {
    index: 0,
    id: toolCallId(generation, index),
    type: "function",
    function: { name: tool, arguments: "" },
  };
  return { role: "assistant", content: null, tool_calls: [call], refusal: null };
}

function answer(generation: Generation): string {
  const usage = usageOf(generation);
  return JSON.stringify({
    ...envelope(generation, "chat.completion"),
    choices: Array.from({ length: generation.ask.choices }, (_, index) => ({
      index,
      message: messageOf(generation, index),
      logprobs: null,
      finish_reason: finishReason(generation),
    })),
    ...(usage && { usage }),
  });
}

function messageOf(generation: Generation, index: number): JsonObject {
  const { tool, content, tokens } = generation;
  const text = content.text(tokens);
  if (tool === null) return { role: "assistant", content: text, refusal: null, annotations: [] };
  const call = { id: toolCallId(generation, index), type: "function", function: { name: tool, arguments: text } };
  return { role: "assistant", content: null, tool_calls: [call], refusal: null, annotations: [] };
}

const envelope = (generation: Generation, object: string) => ({
  id: `chatcmpl-${generation.id}`,
  object,
  created: generation.createdAtSeconds,
  model: generation.ask.model,
  service_tier: "default",
  system_fingerprint: "fp_simulator",
});

const toolCallId = (generation: Generation, index: number) => `call_${generation.id}${index}`;

function finishReason(generation: Generation): string {
  if (generation.truncated) return "length";
  return generation.tool === null ? "stop" : "tool_calls";
}

function usageOf({ usage }: Generation): JsonObject | null {
  if (!usage) return null;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
