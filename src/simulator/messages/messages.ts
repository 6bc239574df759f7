import { isObject } from "../../core/bytes/is-object.ts";
import { checkMessages } from "./check-messages.ts";
import { checkThinking } from "./check-thinking.ts";
import { checkToolNames, messagesToolNames } from "../ask/check-tool-names.ts";
import type { Ask, Dialect, JsonObject } from "../dialect.ts";
import { answerMessage, encodeMessage } from "./message-answer.ts";
import { readCount, readMessages, readModel, readSchema, readStop, readStreamed } from "../ask/read-field.ts";
import { invalid, type Refusal } from "../ask/refusal.ts";
import { frameByType } from "../send/sse-frame.ts";

export const messages: Dialect = {
  name: "messages",
  folder: "messages",
  credentialHeaders: ["x-api-key", "authorization"],
  requestIdHeader: "request-id",
  requireHeaders: (headers) => {
    if (!headers["anthropic-version"]) throw invalid("anthropic-version: header is required");
  },
  read,
  count: { read: readCountAsk, answer: (inputTokens) => ({ input_tokens: inputTokens }) },
  encode: encodeMessage,
  answer: answerMessage,
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
  checkToolNames(messagesToolNames(body), 128);
  checkMessages(readMessages(body));
  checkThinking(body);
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
function readCountAsk(body: JsonObject): Ask {
  const extra = UNCOUNTED.find((field) => body[field] !== undefined);
  if (extra !== undefined) throw invalid(`${extra}: Extra inputs are not permitted`, extra);
  return readPrompt(body);
}

function readPrompt(body: JsonObject): Ask {
  const { output_config: config } = body;
  const format = isObject(config) ? config["format"] : undefined;
  return {
    model: readModel(body),
    streamed: readStreamed(body),
    limitTokens: readCount(body, "max_tokens"),
    choices: 1,
    streamUsage: true,
    prompt: [body["system"], readMessages(body), body["tools"]],
    stop: readStop(body, "stop_sequences"),
    schema: readSchema(format, isObject(format) ? format["schema"] : undefined),
    body,
  };
}

function refuse({ status, message }: Refusal, requestId: string): string {
  const type = ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return JSON.stringify({ type: "error", error: { type, message }, request_id: requestId });
}
