import { FAULT_CODES } from "../core/fault.ts";
import { modelListSchema, listedModelSchema } from "../wire/models/model-list.ts";
import { usageSummarySchema } from "../wire/usage/usage-summary.ts";
import {
  chatChunkSchema,
  chatCompletionSchema,
  formatAErrorSchema,
  formatBErrorSchema,
  messageSchema,
  responsesResultSchema,
  tokenCountSchema,
} from "./answer-schemas.ts";
import { type Component, component } from "./component.ts";

/** Answers of the model list, the three generations, the count and the refusals. */
export const answerComponents = {
  Model: component({
    schema: listedModelSchema,
    about: "A model. It may carry fields beyond these.",
    fields: {
      id: "Pass it as `model`, exactly as it is.",
      object: "Always `model`.",
      created: "When it was published, in seconds since 1970.",
      owned_by: "Whose model it is.",
      display_name: "A name for people.",
      tagline: "What it is good for, in one sentence.",
      provider: "Who serves it; a key's provider scope is compared with this.",
      context_window: "How many tokens of input and output it can hold together.",
      max_output_tokens: "The most output tokens a request may ask for.",
      capabilities: "What it can do.",
      pricing: "What it costs, in credits for a million tokens.",
    },
  }),
  ModelList: component({
    schema: modelListSchema,
    about: "The models of a key; without a key, the public catalogue.",
    fields: { object: "Always `list`.", data: "The models." },
  }),
  ChatCompletion: component({
    schema: chatCompletionSchema,
    about: "The provider's answer. Fields beyond these are its own.",
    fields: {
      id: "The provider's id of the answer.",
      object: "`chat.completion`.",
      created: "When it was made, in seconds since 1970.",
      model: "The model that answered.",
      choices: "The answers, each with its `message` and `finish_reason`.",
      usage: "What was used, and is charged.",
    },
  }),
  ChatUsage: component({
    schema: chatCompletionSchema.shape.usage.unwrap(),
    about: "What was used. Fields beyond these are the provider's own.",
    fields: {
      prompt_tokens: "Input, cached tokens included.",
      completion_tokens: "Output, reasoning included.",
      total_tokens: "Both.",
    },
  }),
  ChunkChoice: component({
    schema: chatChunkSchema.shape.choices.element,
    about: "What a chunk adds to one answer.",
    fields: {
      index: "Which answer, where several were asked for.",
      delta: "What was added. The first has `role` and empty `content`, later ones the text in pieces.",
      finish_reason: "Null until the answer ends.",
    },
  }),
  ChunkDelta: component({
    schema: chatChunkSchema.shape.choices.element.shape.delta,
    about: "What was added to an answer.",
    fields: { role: "`assistant`, in the first.", content: "The next piece of text." },
  }),
  ChatCompletionChunk: component({
    schema: chatChunkSchema,
    about: "One event of a chat stream.",
    fields: {
      id: "The same in every chunk.",
      object: "Always `chat.completion.chunk`.",
      created: "When the answer was begun, in seconds since 1970.",
      model: "The model that answers.",
      choices: "What was added to each answer; none in the event that carries the usage.",
    },
  }),
  ResponsesResult: component({
    schema: responsesResultSchema,
    about: "The provider's answer. Fields beyond these are its own.",
    fields: {
      id: "The provider's id of the answer. It cannot be referred to later.",
      object: "`response`.",
      model: "The model that answered.",
      output: "The items of the answer: messages, tool calls, reasoning.",
      usage: "What was used, and is charged.",
    },
  }),
  Message: component({
    schema: messageSchema,
    about: "The provider's answer. Fields beyond these are its own.",
    fields: {
      id: "The provider's id of the answer.",
      type: "Always `message`.",
      role: "Always `assistant`.",
      model: "The model that answered.",
      content: "The blocks of the answer.",
      stop_reason: "Why it ended.",
      stop_sequence: "The stop sequence that was met, if one was.",
      usage: "What was used, and is charged.",
    },
  }),
  MessageUsage: component({
    schema: messageSchema.shape.usage.unwrap(),
    about: "What was used. Fields beyond these are the provider's own.",
    fields: { input_tokens: "Input that was not cached.", output_tokens: "Output, reasoning included." },
  }),
  TokenCount: component({
    schema: tokenCountSchema,
    about: "How long an input is; no other fields.",
    fields: { input_tokens: "The input in tokens, counted or estimated." },
  }),
  FormatAError: component({
    schema: formatAErrorSchema,
    about: "A refusal in Format A: chat completions, responses, models and usage.",
    fields: { error: "What went wrong." },
  }),
  FormatAErrorDetail: component({
    schema: formatAErrorSchema.shape.error,
    about: "It may carry fields beyond these.",
    fields: {
      message: "For people: what is wrong and what to do about it.",
      type: "The kind of error.",
      code: { about: "For programs: exactly what is wrong. New codes may be added.", knownValues: FAULT_CODES },
      param: "The path of the field to blame, such as `messages.1.role`.",
      request_id: "The same as in the header `x-request-id`.",
    },
  }),
  FormatBError: component({
    schema: formatBErrorSchema,
    about: "A refusal in Format B: messages and token counts.",
    fields: { type: "Always `error`.", error: "What went wrong.", request_id: "As in the header `x-request-id`." },
  }),
  FormatBErrorDetail: component({
    schema: formatBErrorSchema.shape.error,
    about: "It may carry fields beyond these.",
    fields: {
      type: "The kind of error.",
      message: "For people: what is wrong, beginning with the path of the field to blame.",
      code: { about: "For programs: exactly what is wrong. New codes may be added.", knownValues: FAULT_CODES },
      request_id: "The same as in the header `x-request-id`.",
    },
  }),
} satisfies Record<string, Component>;

const { key, credits, tokens, requests } = usageSummarySchema.shape;

/** The usage summary and its parts. None of them has fields beyond these. [spec 2.12] */
export const usageComponents = {
  UsageSummary: component({
    schema: usageSummarySchema,
    about: "What a key has, has reserved and has used, as of the last finished answer. No other fields.",
    fields: {
      object: "Always `usage.summary`.",
      key: "The key that asks.",
      credits: "Its credit; all 0 for a token-budget key.",
      tokens: "Its tokens.",
      requests: "Its requests.",
      explanation: "How to read these figures.",
    },
  }),
  UsageKey: component({
    schema: key,
    about: "The key that asks. No other fields.",
    fields: {
      prefix: "The beginning of the key, which is no secret.",
      label: "The name its operator gave it.",
      status: "`active`, or why the key cannot be used.",
      mode: "How the key pays, and so which origin it uses.",
      provider_scope: "`all`, or the one provider whose models it may use.",
      rpm_limit: "Requests per minute; null when there is no limit.",
    },
  }),
  CreditUsage: component({
    schema: credits,
    about: "Amounts in credits. No other fields.",
    fields: {
      total_purchased: "All that was ever paid in.",
      balance: "What the key has.",
      reserved: "Set aside for requests in flight.",
      used: "All that was ever charged.",
      remaining: "`balance` less `reserved`.",
      remaining_usd: "`remaining` in US dollars.",
      last_request_cost: "The cost of the last completed request.",
      today_spend: "Charged since midnight UTC.",
      lifetime_spend: "The same as `used`.",
    },
  }),
  TokenUsage: component({
    schema: tokens,
    about: "Counts of tokens. No other fields.",
    fields: {
      budget: "Tokens in a period; null for a credit key.",
      used: "Used in the current period; for a credit key, ever.",
      reserved: "Set aside for requests in flight.",
      remaining: "Left in the current period; null for a credit key.",
      input: "Input, over the life of the key.",
      output: "Output, over the life of the key.",
      total: "Both, over the life of the key.",
    },
  }),
  RequestUsage: component({
    schema: requests,
    about: "Counts of requests. No other fields.",
    fields: { total: "Finished requests; cancelled ones do not count." },
  }),
} satisfies Record<string, Component>;
