import type { FaultCode } from "../../src/core/fault.ts";
import type { answerComponents, usageComponents } from "./answer-components.ts";
import type { holderComponents } from "./holder/holder-components.ts";
import type { holderRecordComponents } from "./holder/holder-record-components.ts";
import type { Example, Header } from "./document.ts";
import * as examples from "./examples.ts";
import {
  COUNT_HEADERS,
  EMBEDDINGS_HEADERS,
  GENERATION_HEADERS,
  type PARAMETERS,
  RATE_HEADERS,
  USAGE_HEADERS,
} from "./headers.ts";
import type { Format } from "./refusals.ts";
import type { requestComponents } from "./request-components.ts";
import { CHAT_STREAM, MESSAGES_STREAM, RESPONSES_STREAM } from "./stream-examples.ts";

type AnswerName =
  | keyof typeof answerComponents
  | keyof typeof usageComponents
  | keyof typeof holderComponents
  | keyof typeof holderRecordComponents;

/** What must be known of an operation to describe it. */
export type OperationFacts = {
  method: "get" | "post" | "delete";
  path: string;
  /** Served at the first base URL only, for keys of every mode. */
  isForEveryMode?: true;
  operationId: string;
  /** Beyond the six operations of the interface. [interface decision 37] */
  isAddition?: true;
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
  format: Format;
  credential: "none" | "optional" | "bearer" | "bearer_or_header" | "session_or_key" | "session";
  parameters: readonly (keyof typeof PARAMETERS)[];
  request: { schema: keyof typeof requestComponents | "SignIn"; examples: Record<string, Example> } | null;
  answer: OperationAnswer;
  stream: { about: string; example: string; event: AnswerName | null } | null;
  /** Every error it can return; the statuses follow from them. */
  codes: readonly FaultCode[];
};

/** `status`: 200 unless told. A response without a body has no schema, and neither has a file: `file` is the beginning of one. */
type OperationAnswer = { about: string; headers: Record<string, Header>; status?: string } & (
  | { schema: AnswerName; example: unknown }
  | { schema: null; file?: string }
);

export const TAGS = {
  "Models and usage": "The models your key can use, and what it has available.",
  "OpenAI-compatible (Format A)": "Chat completions, responses and embeddings, for OpenAI SDKs and clients.",
  "Anthropic-compatible (Format B)": "Messages and token counts, for Anthropic SDKs and clients.",
  "Your key":
    "What a page about your key shows: usage, limits, ledger, requests, errors and models. Not part of the interface.",
};

const ANY_REQUEST: readonly FaultCode[] = [
  "invalid_credentials",
  "rate_limit_exceeded",
  "service_unavailable",
  "internal_error",
];
const ANY_BODY: readonly FaultCode[] = [
  ...ANY_REQUEST,
  "invalid_request",
  "key_expired",
  "key_disabled",
  "model_not_found",
];
const ANY_GENERATION: readonly FaultCode[] = [
  ...ANY_BODY,
  "context_length_exceeded",
  "insufficient_credit",
  "balance_temporarily_reserved",
  "limit_reached",
  "idempotency_in_progress",
  "idempotency_key_reuse",
  "idempotency_replay_unavailable",
  "idempotency_stream_interrupted",
  "request_cancelled",
  "provider_unavailable",
  "upstream_error",
];

const GENERATION_PROMISE =
  "The gateway reserves the most the request can cost, calls the provider, and charges the actual cost when the request ends. A request that ends with an error status costs nothing. A stream that fails after content costs nothing, up to an hourly cap per key; beyond the cap you pay for the output delivered.";

/** The operations of the interface, and what we add to it. [spec 4.1] */
export const OPERATIONS: readonly OperationFacts[] = [
  {
    method: "get",
    path: "/v1/models",
    operationId: "listModels",
    tag: "Models and usage",
    summary: "List models",
    description:
      "Returns the models this key can use. Without a key, returns the public catalogue. Take model ids from this list; do not hard-code them. An invalid key returns 401, not the public catalogue.",
    format: "A",
    credential: "optional",
    parameters: [],
    request: null,
    answer: { about: "The list of models.", schema: "ModelList", example: examples.MODEL_LIST, headers: RATE_HEADERS },
    stream: null,
    codes: ANY_REQUEST,
  },
  {
    method: "get",
    path: "/v1/models/{id}",
    operationId: "getModel",
    isAddition: true,
    tag: "Models and usage",
    summary: "Get a model",
    description:
      "Returns one model from the model list. This operation is Tollgate's addition to the interface. A model that is not in the list returns 404.",
    format: "A",
    credential: "optional",
    parameters: ["modelId"],
    request: null,
    answer: { about: "The model.", schema: "Model", example: examples.MODEL_LIST.data[0], headers: RATE_HEADERS },
    stream: null,
    codes: [...ANY_REQUEST, "model_not_found"],
  },
  {
    method: "post",
    path: "/v1/chat/completions",
    operationId: "createChatCompletion",
    tag: "OpenAI-compatible (Format A)",
    summary: "Create a chat completion",
    description: GENERATION_PROMISE,
    format: "A",
    credential: "bearer",
    parameters: ["idempotencyKey"],
    request: { schema: "ChatCompletionRequest", examples: examples.CHAT_EXAMPLES },
    answer: {
      about: "The complete response; with `stream: true`, a stream of events.",
      schema: "ChatCompletion",
      example: examples.CHAT_COMPLETION,
      headers: GENERATION_HEADERS,
    },
    stream: {
      about:
        'Each event is a line `data: ` followed by a JSON chunk. Lines that start with a colon are comments that keep the connection open; ignore them. The stream ends with `data: [DONE]`, sent after the charge is recorded. If the stream fails, it sends `data: {"error": …}` and closes without `[DONE]`.',
      example: CHAT_STREAM,
      event: "ChatCompletionChunk",
    },
    codes: ANY_GENERATION,
  },
  {
    method: "post",
    path: "/v1/responses",
    operationId: "createResponse",
    tag: "OpenAI-compatible (Format A)",
    summary: "Create a response",
    description: `${GENERATION_PROMISE} Responses are not stored, so \`previous_response_id\`, \`conversation\` and \`background\` return 400.`,
    format: "A",
    credential: "bearer",
    parameters: ["idempotencyKey"],
    request: { schema: "ResponsesRequest", examples: examples.RESPONSES_EXAMPLES },
    answer: {
      about: "The complete response; with `stream: true`, a stream of events.",
      schema: "ResponsesResult",
      example: examples.RESPONSES_RESULT,
      headers: GENERATION_HEADERS,
    },
    stream: {
      about:
        "Each event has a name and JSON data whose `type` repeats the name. The stream starts with `response.created`, followed by events such as `response.output_text.delta`. Every event has a `sequence_number`. The stream ends with `response.completed` or `response.incomplete`, sent after the charge is recorded, or with `response.failed`.",
      example: RESPONSES_STREAM,
      event: null,
    },
    codes: ANY_GENERATION,
  },
  {
    method: "post",
    path: "/v1/embeddings",
    operationId: "createEmbedding",
    isAddition: true,
    tag: "OpenAI-compatible (Format A)",
    summary: "Create embeddings",
    description:
      "Returns one vector for each input. This operation is Tollgate's addition to the interface. The gateway reserves the most the input can cost and charges its actual tokens; vectors are not output and cost nothing. A request that ends with an error status costs nothing. The model must be one whose `capabilities` in the model list have `embeddings: true`.",
    format: "A",
    credential: "bearer",
    parameters: ["idempotencyKey"],
    request: { schema: "EmbeddingsRequest", examples: examples.EMBEDDINGS_EXAMPLES },
    answer: {
      about: "One vector for each input, in the order of the inputs.",
      schema: "EmbeddingList",
      example: examples.EMBEDDING_LIST,
      headers: EMBEDDINGS_HEADERS,
    },
    stream: null,
    codes: ANY_GENERATION.filter((code) => code !== "idempotency_stream_interrupted"),
  },
  {
    method: "post",
    path: "/v1/messages",
    operationId: "createMessage",
    tag: "Anthropic-compatible (Format B)",
    summary: "Create a message",
    description: `${GENERATION_PROMISE} If your client appends \`/v1/messages\` itself, as the Anthropic SDKs do, set its base URL without \`/v1\`.`,
    format: "B",
    credential: "bearer_or_header",
    parameters: ["compatVersion", "idempotencyKey"],
    request: { schema: "MessageRequest", examples: examples.MESSAGES_EXAMPLES },
    answer: {
      about: "The complete response; with `stream: true`, a stream of events.",
      schema: "Message",
      example: examples.MESSAGE,
      headers: GENERATION_HEADERS,
    },
    stream: {
      about:
        "Each event has a name and JSON data whose `type` repeats the name. The stream starts with `message_start`. Each content block sends `content_block_start`, `content_block_delta` and `content_block_stop`. `message_delta` carries the stop reason and usage. `ping` keeps the connection open; ignore it. The stream ends with `message_stop`, sent after the charge is recorded, or with `error`.",
      example: MESSAGES_STREAM,
      event: null,
    },
    codes: [...ANY_GENERATION, "upstream_timeout"],
  },
  {
    method: "post",
    path: "/v1/messages/count_tokens",
    operationId: "countMessageTokens",
    tag: "Anthropic-compatible (Format B)",
    summary: "Count input tokens",
    description: "Counts the input tokens of a message request. Nothing is generated, and the request is free.",
    format: "B",
    credential: "bearer_or_header",
    parameters: ["compatVersion"],
    request: { schema: "CountTokensRequest", examples: examples.COUNT_EXAMPLES },
    answer: {
      about: "The number of input tokens.",
      schema: "TokenCount",
      example: examples.TOKEN_COUNT,
      headers: COUNT_HEADERS,
    },
    stream: null,
    codes: ANY_BODY,
  },
  {
    method: "get",
    path: "/v1/usage",
    operationId: "getUsage",
    tag: "Models and usage",
    summary: "Get usage and balance",
    description: "Returns the balance, reservations and usage of this key, up to the last completed request.",
    format: "A",
    credential: "bearer",
    parameters: [],
    request: null,
    answer: {
      about: "The usage summary.",
      schema: "UsageSummary",
      example: examples.USAGE_SUMMARY,
      headers: USAGE_HEADERS,
    },
    stream: null,
    codes: ANY_REQUEST,
  },
];
