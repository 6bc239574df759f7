import { chatRequestSchema } from "../wire/chat/chat-request.ts";
import { countRequestSchema } from "../wire/messages/count-request.ts";
import { inputFields } from "../wire/messages/input-schema.ts";
import { DEFAULT_MAX_TOKENS, messagesRequestSchema } from "../wire/messages/messages-request.ts";
import { responsesRequestSchema } from "../wire/responses/responses-request.ts";
import { type Component, component } from "./component.ts";

const MODEL = "The `id` of a model in this key's own model list.";
const STREAM = { about: "True: the answer comes as server-sent events.", default: false };
const TOOLS =
  "Tools the model may call. They are yours to run; those a provider would run itself, such as web search, are refused.";
const TOOL_CHOICE = "Which tool is to be called, if any.";

const [, { element: contentBlock }] = inputFields.messages.element.shape.content.options;

/** Bodies callers send, from the schemas they are validated with. */
export const requestComponents = {
  ChatMessage: component({
    schema: chatRequestSchema.shape.messages.element,
    about: "One message of a chat. Fields beyond these are carried to the provider as they are.",
    fields: {
      role: "Who speaks.",
      content: "What is said: text, or parts. Absent or null where a message only calls tools.",
      name: "Tells speakers of one role apart.",
      tool_call_id: "In a `tool` message: the call it answers.",
      tool_calls: "In an `assistant` message: the calls it made.",
    },
  }),
  ChatCompletionRequest: component({
    schema: chatRequestSchema,
    about: "Fields beyond these are carried to the provider as they are.",
    fields: {
      model: MODEL,
      messages: "The conversation so far.",
      stream: STREAM,
      max_tokens: "The most output tokens; above the model's published `max_output_tokens` it is refused.",
      max_completion_tokens: "Another name of `max_tokens`. If both are sent they must be equal.",
      temperature: "How much chance there is in the answer.",
      top_p: "The share of probability that tokens are drawn from.",
      n: { about: "How many answers. Each of them is reserved and paid for.", default: 1 },
      stop: "Text at which the answer ends.",
      tools: TOOLS,
      tool_choice: TOOL_CHOICE,
      user: "Your name for your user. The provider is sent a pseudonym made of it.",
      stream_options: "What a stream says besides the answer.",
    },
  }),
  StreamOptions: component({
    schema: chatRequestSchema.shape.stream_options.unwrap().unwrap(),
    about: "What a stream says besides the answer.",
    fields: { include_usage: "True: the usage is sent as an event of its own, before `[DONE]`." },
  }),
  ResponsesRequest: component({
    schema: responsesRequestSchema,
    about:
      "Fields beyond these are carried to the provider as they are, but for those that refer to something stored there, " +
      "such as `previous_response_id`, which are refused.",
    fields: {
      model: MODEL,
      input: "Text, or a list of input items. Nothing is kept between requests, so send the whole conversation.",
      instructions: "What the model is told before the input.",
      stream: STREAM,
      max_output_tokens: "The most output tokens; above the model's published `max_output_tokens` it is refused.",
      tools: TOOLS,
      tool_choice: TOOL_CHOICE,
    },
  }),
  InputMessage: component({
    schema: inputFields.messages.element,
    about: "One message of a conversation.",
    fields: { role: "Who speaks.", content: "Text, or a list of blocks that each name their `type`." },
  }),
  ContentBlock: component({
    schema: contentBlock,
    about: "A piece of content. Fields beyond this depend on its type.",
    fields: { type: "Such as `text`, `image`, `tool_use` or `tool_result`." },
  }),
  MessageRequest: component({
    schema: messagesRequestSchema,
    about: "Fields beyond these are carried to the provider as they are.",
    fields: {
      model: MODEL,
      messages: "The conversation so far.",
      system: "What the model is told before the conversation.",
      tools: TOOLS,
      tool_choice: TOOL_CHOICE,
      max_tokens: {
        about: "The most output tokens; above the model's published `max_output_tokens` it is lowered to that.",
        default: DEFAULT_MAX_TOKENS,
      },
      stream: STREAM,
      temperature: "How much chance there is in the answer.",
      top_p: "The share of probability that tokens are drawn from.",
      top_k: "How many of the likeliest tokens are drawn from.",
      stop_sequences: "Texts at which the answer ends.",
      metadata: "`user_id` is your name for your user; the provider is sent a pseudonym made of it.",
    },
  }),
  CountTokensRequest: component({
    schema: countRequestSchema,
    about: "The input of a message request. Other fields of one may be sent too, and do not count.",
    fields: {
      model: MODEL,
      messages: "The conversation so far.",
      system: "What the model is told before the conversation.",
      tools: "Tools the model may call; their definitions are input too.",
      tool_choice: TOOL_CHOICE,
    },
  }),
} satisfies Record<string, Component>;
