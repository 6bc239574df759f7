import type { Ask, Dialect, Generation, JsonObject, StreamEncoder } from "./dialect.ts";
import { readCount, readMessages, readModel, readStreamed } from "./read-field.ts";
import { invalid, type Refusal } from "./refusal.ts";
import { frameByType } from "./sse-frame.ts";

export const messages: Dialect = {
  name: "messages",
  folder: "messages",
  credentialHeaders: ["x-api-key", "authorization"],
  requestIdHeader: "request-id",
  requireHeaders: (headers) => {
    if (!headers["anthropic-version"]) throw invalid("anthropic-version: header is required");
  },
  read,
  encode,
  answer,
  refuse,
  frame: frameByType,
  terminator: null,
};

const ERROR_TYPES: Record<number, string> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function read(body: JsonObject): Ask {
  const ask = readPrompt(body);
  if (ask.limitTokens === null) throw invalid("max_tokens: Field required", "max_tokens");
  return ask;
}

/** Fields of a request for an answer; nobody may ask to have those counted. */
const UNCOUNTED = [
  "max_tokens",
  "stream",
  "metadata",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "service_tier",
];

/** Counting asks for no answer, and so takes nothing that is said about one. */
export function readCountAsk(body: JsonObject): Ask {
  const extra = UNCOUNTED.find((field) => body[field] !== undefined);
  if (extra !== undefined) throw invalid(`${extra}: Extra inputs are not permitted`, extra);
  return readPrompt(body);
}

function readPrompt(body: JsonObject): Ask {
  return {
    model: readModel(body),
    streamed: readStreamed(body),
    limitTokens: readCount(body, "max_tokens"),
    choices: 1,
    streamUsage: true,
    prompt: [body["system"], readMessages(body), body["tools"]],
    body,
  };
}

function encode(generation: Generation): StreamEncoder {
  const { content, tool, tokens } = generation;
  const prefix =
    tool === null
      ? 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"'
      : 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"';
  const suffix = '"}}\n\n';
  const usage = generation.usage && { usage: usageOf(generation, 1) };
  const message = { ...envelope(generation), content: [], stop_reason: null, stop_sequence: null, ...usage };

  return {
    tokens,
    opening: [
      event({ type: "message_start", message }),
      event({ type: "content_block_start", index: 0, content_block: emptyBlock(generation) }),
      event({ type: "ping" }),
    ],
    token: (index) => prefix + content.escapedPiece(index) + suffix,
    closing: () => [
      event({ type: "content_block_stop", index: 0 }),
      event({
        type: "message_delta",
        delta: { stop_reason: stopReason(generation), stop_sequence: null },
        ...(generation.usage && { usage: totals(generation) }),
      }),
      event({ type: "message_stop" }),
    ],
    failure: () => event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    broken: `${prefix}\n\n`,
  };
}

function answer(generation: Generation): string {
  return JSON.stringify({
    ...envelope(generation),
    content: [wholeBlock(generation)],
    stop_reason: stopReason(generation),
    stop_sequence: null,
    ...(generation.usage && { usage: usageOf(generation, generation.usage.outputTokens) }),
  });
}

function refuse({ status, message }: Refusal, requestId: string): string {
  const type = ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return JSON.stringify({ type: "error", error: { type, message }, request_id: requestId });
}

const event = (data: { type: string } & JsonObject) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const envelope = ({ id, ask }: Generation) => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model: ask.model,
});

const emptyBlock = ({ id, tool }: Generation): JsonObject =>
  tool === null ? { type: "text", text: "" } : { type: "tool_use", id: `toolu_${id}`, name: tool, input: {} };

function wholeBlock(generation: Generation): JsonObject {
  const { tool, content, tokens, truncated } = generation;
  const text = content.text(tokens);
  if (tool === null) return { type: "text", text };
  return { ...emptyBlock(generation), input: truncated ? {} : JSON.parse(text) };
}

function stopReason({ truncated, tool }: Generation): string {
  if (truncated) return "max_tokens";
  return tool === null ? "end_turn" : "tool_use";
}

/** In this dialect cached tokens are counted beside the input, not inside it. */
function totals({ usage }: Generation): JsonObject {
  const input = usage?.inputTokens;
  return {
    input_tokens: typeof input === "number" && input > 0 ? input - (usage?.cachedTokens ?? 0) : input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage?.cachedTokens,
    output_tokens: usage?.outputTokens,
  };
}

const usageOf = (generation: Generation, outputTokens: number | string): JsonObject => ({
  ...totals(generation),
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: outputTokens,
  service_tier: "standard",
});
