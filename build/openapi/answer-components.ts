import { FAULT_CODES } from "../../src/core/fault.ts";
import { modelListSchema, listedModelSchema } from "../../src/wire/models/model-list.ts";
import { usageSummarySchema } from "../../src/wire/usage/usage-summary.ts";
import {
  chatChunkSchema,
  chatCompletionSchema,
  embeddingListSchema,
  formatAErrorSchema,
  formatBErrorSchema,
  messageSchema,
  responsesResultSchema,
  tokenCountSchema,
} from "./answer-schemas.ts";
import { type Component, component } from "./component.ts";

/** Responses of the model endpoints, the three generations and the count, and error bodies. */
export const answerComponents = {
  Model: component({
    schema: listedModelSchema,
    about: "A model. It can have more fields than these.",
    fields: {
      id: "The model id. Pass it as `model`, unchanged.",
      object: "Always `model`.",
      created: "When the model was published, as a Unix timestamp in seconds.",
      owned_by: "The owner of the model.",
      display_name: "A human-readable name.",
      tagline: "A one-sentence description.",
      provider: "The provider. A key restricted to one provider can use only models of that provider.",
      context_window: "The context window in tokens, input and output together.",
      max_output_tokens: "The highest output limit a request can set, in tokens.",
      capabilities: "The capabilities of the model, such as `tools` and `streaming`.",
      pricing: "Prices in credits per million tokens.",
    },
  }),
  ModelList: component({
    schema: modelListSchema,
    about: "The models this key can use; without a key, the public catalogue.",
    fields: { object: "Always `list`.", data: "The models." },
  }),
  ChatCompletion: component({
    schema: chatCompletionSchema,
    about: "The provider's response. It can have more fields than these.",
    fields: {
      id: "The provider's id of this response.",
      object: "`chat.completion`.",
      created: "When the response was created, as a Unix timestamp in seconds.",
      model: "The model that generated the response.",
      choices: "The generated answers. Each has a `message` and a `finish_reason`.",
      usage: "The tokens used. The charge is based on them.",
    },
  }),
  ChatUsage: component({
    schema: chatCompletionSchema.shape.usage.unwrap(),
    about: "The tokens used. The provider can add more fields.",
    fields: {
      prompt_tokens: "Input tokens, including cached tokens.",
      completion_tokens: "Output tokens, including reasoning.",
      total_tokens: "The sum of `prompt_tokens` and `completion_tokens`.",
    },
  }),
  ChunkChoice: component({
    schema: chatChunkSchema.shape.choices.element,
    about: "What a chunk adds to one answer.",
    fields: {
      index: "The index of the answer, if `n` is more than 1.",
      delta: "The added content. The first chunk has `role` and empty `content`; later chunks have the text in pieces.",
      finish_reason: "Why generation stopped. Null until the last chunk of the answer.",
    },
  }),
  ChunkDelta: component({
    schema: chatChunkSchema.shape.choices.element.shape.delta,
    about: "The content a chunk adds to an answer.",
    fields: { role: "`assistant`, in the first chunk.", content: "The next piece of text." },
  }),
  ChatCompletionChunk: component({
    schema: chatChunkSchema,
    about: "One event of a chat stream.",
    fields: {
      id: "The id of the response, the same in every chunk.",
      object: "Always `chat.completion.chunk`.",
      created: "When the response was created, as a Unix timestamp in seconds.",
      model: "The model that generates the response.",
      choices: "The content added to each answer. Empty in the event that carries the usage.",
    },
  }),
  EmbeddingList: component({
    schema: embeddingListSchema,
    about: "One vector for each input. No other fields.",
    fields: {
      object: "Always `list`.",
      data: "The vectors, in the order of the inputs.",
      model: "The id of the model, as in your model list.",
      usage: "The tokens used. The charge is based on them.",
    },
  }),
  Embedding: component({
    schema: embeddingListSchema.shape.data.element,
    about: "The vector of one input. The provider can add more fields.",
    fields: {
      object: "Always `embedding`.",
      index: "The index of the input.",
      embedding: "The vector: numbers, or with `encoding_format: base64` a text.",
    },
  }),
  EmbeddingUsage: component({
    schema: embeddingListSchema.shape.usage,
    about: "The tokens used. No other fields.",
    fields: { prompt_tokens: "Tokens of all inputs.", total_tokens: "The same: vectors are no tokens." },
  }),
  ResponsesResult: component({
    schema: responsesResultSchema,
    about: "The provider's response. It can have more fields than these.",
    fields: {
      id: "The provider's id of this response. Later requests cannot refer to it.",
      object: "`response`.",
      model: "The model that generated the response.",
      output: "The output items: messages, tool calls, reasoning.",
      usage: "The tokens used. The charge is based on them.",
    },
  }),
  Message: component({
    schema: messageSchema,
    about: "The provider's response. It can have more fields than these.",
    fields: {
      id: "The provider's id of this response.",
      type: "Always `message`.",
      role: "Always `assistant`.",
      model: "The model that generated the response.",
      content: "The content blocks of the answer.",
      stop_reason: "Why generation stopped.",
      stop_sequence: "The stop sequence that ended generation, if any.",
      usage: "The tokens used. The charge is based on them.",
    },
  }),
  MessageUsage: component({
    schema: messageSchema.shape.usage.unwrap(),
    about: "The tokens used. The provider can add more fields.",
    fields: {
      input_tokens: "Input tokens that were not read from or written to a cache.",
      output_tokens: "Output tokens, including reasoning.",
    },
  }),
  TokenCount: component({
    schema: tokenCountSchema,
    about: "The number of input tokens. No other fields.",
    fields: { input_tokens: "Input tokens, counted by a provider or estimated by the gateway." },
  }),
  FormatAError: component({
    schema: formatAErrorSchema,
    about:
      "An error in the OpenAI-compatible format, returned by chat completions, responses, embeddings, models and usage.",
    fields: { error: "The error." },
  }),
  FormatAErrorDetail: component({
    schema: formatAErrorSchema.shape.error,
    about: "The error. It can have more fields than these.",
    fields: {
      message: "What is wrong and how to fix it, for people. The wording can change.",
      type: "The category of the error.",
      code: { about: "The error code, for programs. New codes can be added.", knownValues: FAULT_CODES },
      param: "The path of the field that caused the error, such as `messages.1.role`.",
      request_id: "The same id as in the header `x-request-id`.",
    },
  }),
  FormatBError: component({
    schema: formatBErrorSchema,
    about: "An error in the Anthropic-compatible format, returned by messages and token counts.",
    fields: {
      type: "Always `error`.",
      error: "The error.",
      request_id: "The same id as in the header `x-request-id`.",
    },
  }),
  FormatBErrorDetail: component({
    schema: formatBErrorSchema.shape.error,
    about: "The error. It can have more fields than these.",
    fields: {
      type: "The category of the error.",
      message:
        "What is wrong and how to fix it, for people. Starts with the path of the field that caused the error, if there is one.",
      code: { about: "The error code, for programs. New codes can be added.", knownValues: FAULT_CODES },
      details:
        "What official clients read to correct the request themselves. `error_code` names the case; a request with `thread` gets `thread_unsupported_request`.",
      request_id: "The same id as in the header `x-request-id`.",
    },
  }),
} satisfies Record<string, Component>;

const { key, credits, tokens, requests } = usageSummarySchema.shape;

/** The usage summary and its parts. None of them has fields beyond these. [spec 2.12] */
export const usageComponents = {
  UsageSummary: component({
    schema: usageSummarySchema,
    about: "The balance, reservations and usage of a key, up to the last completed request. No other fields.",
    fields: {
      object: "Always `usage.summary`.",
      key: "The key that made this request.",
      credits: "Credits of the key, or of the account that limits it most. 0 for a token-budget key.",
      tokens: "Tokens of the key, or of the account that limits it most.",
      requests: "Requests of the key.",
      explanation: "How to read these numbers: what limits the key most, and when it renews.",
    },
  }),
  UsageKey: component({
    schema: key,
    about: "The key that made this request. No other fields.",
    fields: {
      prefix: "The start of the key. It is not secret.",
      label: "The label the operator gave the key.",
      status: "The state of the key, such as `active`.",
      mode: "How the key pays. It decides which base URL the key uses.",
      provider_scope: "`all`, or the only provider whose models the key can use.",
      rpm_limit: "Rate limit in requests per minute; null if there is none.",
    },
  }),
  CreditUsage: component({
    schema: credits,
    about: "Amounts in credits. No other fields.",
    fields: {
      total_purchased:
        "All credits ever added to the key or the purse of its account; for a limit, its amount per period.",
      balance: "Credits added minus credits charged, of the purse or limit that has the least available.",
      reserved: "Reserved for requests in progress.",
      used: "All credits ever charged for requests of this key.",
      remaining: "`balance` minus `reserved`: the credits available to new requests.",
      remaining_usd: "`remaining` in US dollars.",
      last_request_cost: "The cost of the last completed request.",
      today_spend: "Charged for requests of this key since midnight UTC.",
      lifetime_spend: "The same as `used`.",
    },
  }),
  TokenUsage: component({
    schema: tokens,
    about: "Token counts. No other fields.",
    fields: {
      budget: "Token budget per period, of the key or of the account that limits it most; null for a credit key.",
      used: "Tokens used of that budget in the current period; for a credit key, since the key was created.",
      reserved: "Reserved for requests in progress.",
      remaining: "Tokens available in the current period; null for a credit key.",
      input: "Input tokens since the key was created.",
      output: "Output tokens since the key was created.",
      total: "Input and output tokens since the key was created.",
    },
  }),
  RequestUsage: component({
    schema: requests,
    about: "Request counts. No other fields.",
    fields: { total: "Completed requests. Cancelled requests are not counted." },
  }),
} satisfies Record<string, Component>;
