import type { FaultCode } from "../core/fault.ts";
import type { answerComponents, usageComponents } from "./answer-components.ts";
import type { Example, Header } from "./document.ts";
import * as examples from "./examples.ts";
import { COUNT_HEADERS, GENERATION_HEADERS, type PARAMETERS, RATE_HEADERS, USAGE_HEADERS } from "./headers.ts";
import type { Format } from "./refusals.ts";
import type { requestComponents } from "./request-components.ts";
import { CHAT_STREAM, MESSAGES_STREAM, RESPONSES_STREAM } from "./stream-examples.ts";

type AnswerName = keyof typeof answerComponents | keyof typeof usageComponents;

/** What must be known of an operation to describe it. */
export type OperationFacts = {
  method: "get" | "post";
  path: string;
  operationId: string;
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
  format: Format;
  credential: "optional" | "bearer" | "bearer_or_header";
  parameters: readonly (keyof typeof PARAMETERS)[];
  request: { schema: keyof typeof requestComponents; examples: Record<string, Example> } | null;
  answer: { about: string; schema: AnswerName; example: unknown; headers: Record<string, Header> };
  stream: { about: string; example: string; event: AnswerName | null } | null;
  /** Everything it refuses with; the statuses follow from it. */
  codes: readonly FaultCode[];
};

export const TAGS = {
  "Your key": "What a key may use, and what it has left.",
  "Format A": "Chat completions and responses.",
  "Format B": "Messages and their token counts.",
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
  "provider_unavailable",
  "upstream_error",
];

const GENERATION_PROMISE =
  "What the request can cost is reserved before the provider is called, and what it did cost is charged when it ends. A request that is answered with an error status costs nothing; a stream that fails after content costs nothing up to a cap per key and hour.";

/** The operations of the interface. [spec 4.1] */
export const OPERATIONS: readonly OperationFacts[] = [
  {
    method: "get",
    path: "/v1/models",
    operationId: "listModels",
    tag: "Your key",
    summary: "List models",
    description:
      "The models this key may use; without a key, the public catalogue. Take model ids from here and do not write them into programs. A key that is sent and not valid is refused, never ignored.",
    format: "A",
    credential: "optional",
    parameters: [],
    request: null,
    answer: { about: "The models.", schema: "ModelList", example: examples.MODEL_LIST, headers: RATE_HEADERS },
    stream: null,
    codes: ANY_REQUEST,
  },
  {
    method: "get",
    path: "/v1/models/{id}",
    operationId: "getModel",
    tag: "Your key",
    summary: "Show a model",
    description: "One model of the list above. A model that the list does not show is 404.",
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
    tag: "Format A",
    summary: "Create a chat completion",
    description: GENERATION_PROMISE,
    format: "A",
    credential: "bearer",
    parameters: ["idempotencyKey"],
    request: { schema: "ChatCompletionRequest", examples: examples.CHAT_EXAMPLES },
    answer: {
      about: "The whole answer, or with `stream: true` a stream of it.",
      schema: "ChatCompletion",
      example: examples.CHAT_COMPLETION,
      headers: GENERATION_HEADERS,
    },
    stream: {
      about:
        'Each event is a line `data:` with a chunk as JSON. Lines that begin with a colon keep the connection open and mean nothing. The last line is `data: [DONE]`; it is sent when the answer is paid for. A failure on the way is an event `data: {"error": …}` after which the stream closes without `[DONE]`.',
      example: CHAT_STREAM,
      event: "ChatCompletionChunk",
    },
    codes: ANY_GENERATION,
  },
  {
    method: "post",
    path: "/v1/responses",
    operationId: "createResponse",
    tag: "Format A",
    summary: "Create a response",
    description: `${GENERATION_PROMISE} Nothing is stored: \`previous_response_id\`, \`conversation\` and \`background\` are refused.`,
    format: "A",
    credential: "bearer",
    parameters: ["idempotencyKey"],
    request: { schema: "ResponsesRequest", examples: examples.RESPONSES_EXAMPLES },
    answer: {
      about: "The whole answer, or with `stream: true` a stream of it.",
      schema: "ResponsesResult",
      example: examples.RESPONSES_RESULT,
      headers: GENERATION_HEADERS,
    },
    stream: {
      about:
        "Events with a name and JSON data whose `type` is that name: `response.created`, then the parts of the output such as `response.output_text.delta`, each with its `sequence_number`. The last is `response.completed` or `response.incomplete`, sent when the answer is paid for, or `response.failed`.",
      example: RESPONSES_STREAM,
      event: null,
    },
    codes: ANY_GENERATION,
  },
  {
    method: "post",
    path: "/v1/messages",
    operationId: "createMessage",
    tag: "Format B",
    summary: "Create a message",
    description: `${GENERATION_PROMISE} Clients that add the path themselves are given the origin without \`/v1\`.`,
    format: "B",
    credential: "bearer_or_header",
    parameters: ["compatVersion", "idempotencyKey"],
    request: { schema: "MessageRequest", examples: examples.MESSAGES_EXAMPLES },
    answer: {
      about: "The whole answer, or with `stream: true` a stream of it.",
      schema: "Message",
      example: examples.MESSAGE,
      headers: GENERATION_HEADERS,
    },
    stream: {
      about:
        "Events with a name and JSON data whose `type` is that name: `message_start`, for each block `content_block_start`, `content_block_delta` and `content_block_stop`, then `message_delta` with the stop reason and usage. `ping` keeps the connection open and means nothing. The last is `message_stop`, sent when the answer is paid for, or `error`.",
      example: MESSAGES_STREAM,
      event: null,
    },
    codes: [...ANY_GENERATION, "upstream_timeout"],
  },
  {
    method: "post",
    path: "/v1/messages/count_tokens",
    operationId: "countMessageTokens",
    tag: "Format B",
    summary: "Count input tokens",
    description: "How many tokens the input of a message has. Generates nothing and costs nothing.",
    format: "B",
    credential: "bearer_or_header",
    parameters: ["compatVersion"],
    request: { schema: "CountTokensRequest", examples: examples.COUNT_EXAMPLES },
    answer: { about: "The count.", schema: "TokenCount", example: examples.TOKEN_COUNT, headers: COUNT_HEADERS },
    stream: null,
    codes: ANY_BODY,
  },
  {
    method: "get",
    path: "/v1/usage",
    operationId: "getUsage",
    tag: "Your key",
    summary: "Show usage and balance",
    description: "What this key has, has reserved and has used, up to the last finished answer.",
    format: "A",
    credential: "bearer",
    parameters: [],
    request: null,
    answer: {
      about: "The summary.",
      schema: "UsageSummary",
      example: examples.USAGE_SUMMARY,
      headers: USAGE_HEADERS,
    },
    stream: null,
    codes: ANY_REQUEST,
  },
];
