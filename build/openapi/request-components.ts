import { z } from "zod";
import { chatRequestSchema } from "../../src/wire/chat/chat-request.ts";
import { embeddingsRequestSchema } from "../../src/wire/embeddings/embeddings-request.ts";
import { MOST_INPUTS } from "../../src/wire/embeddings/input.ts";
import { countRequestSchema } from "../../src/wire/messages/count-request.ts";
import { inputFields } from "../../src/wire/messages/input-schema.ts";
import { DEFAULT_MAX_TOKENS, messagesRequestSchema } from "../../src/wire/messages/messages-request.ts";
import { responsesRequestSchema } from "../../src/wire/responses/responses-request.ts";
import { type Component, component } from "./component.ts";

const MODEL = "The `id` of a model in your model list.";
const STREAM = { about: "If true, the response is a stream of server-sent events.", default: false };
const TOOLS =
  "Tools the model can call. Your application runs them. Tools that the provider would run, such as web search, return 400.";
const TOOL_CHOICE = "Controls whether the model calls a tool, and which one.";

const [, { element: contentBlock }] = inputFields.messages.element.shape.content.options;

const tokens = z.array(z.int().min(0)).min(1);
const text = z.string().min(1);
/** The input is read by hand, and described here. */
const describedEmbeddings = embeddingsRequestSchema.extend({
  input: z.union([text, z.array(text).min(1).max(MOST_INPUTS), tokens, z.array(tokens).min(1).max(MOST_INPUTS)]),
});

/** Request bodies, from the schemas they are validated with. */
export const requestComponents = {
  ChatMessage: component({
    schema: chatRequestSchema.shape.messages.element,
    about: "One message of a chat. Other fields are forwarded to the provider unless its settings drop them.",
    fields: {
      role: "The author of the message.",
      content:
        "The content of the message: text, or a list of parts. Can be absent or null if the message only calls tools.",
      name: "Distinguishes authors with the same role.",
      tool_call_id: "In a `tool` message: the id of the tool call that this result belongs to.",
      tool_calls: "In an `assistant` message: the tool calls the model made.",
    },
  }),
  ChatCompletionRequest: component({
    schema: chatRequestSchema,
    about: "Other fields are forwarded to the provider unless its settings drop them.",
    fields: {
      model: MODEL,
      messages: "The conversation so far, oldest message first.",
      stream: STREAM,
      max_tokens: "The output limit in tokens. A value above the model's `max_output_tokens` returns 400.",
      max_completion_tokens: "Another name for `max_tokens`. If you send both, they must be equal.",
      temperature: "Sampling temperature; higher is more random.",
      top_p: "Nucleus sampling: only the most likely tokens, up to this total probability, are considered.",
      n: { about: "The number of answers to generate. You pay for each.", default: 1 },
      stop: "One or more texts at which generation stops.",
      tools: TOOLS,
      tool_choice: TOOL_CHOICE,
      user: "Your identifier for your end user. The provider receives a pseudonym derived from it.",
      stream_options: "Options for a stream.",
    },
  }),
  StreamOptions: component({
    schema: chatRequestSchema.shape.stream_options.unwrap().unwrap(),
    about: "Options for a stream.",
    fields: { include_usage: "If true, the stream sends the usage as a separate event before `[DONE]`." },
  }),
  ResponsesRequest: component({
    schema: responsesRequestSchema,
    about:
      "Other fields are forwarded to the provider unless its settings drop them. Fields that refer to stored objects, " +
      "such as `previous_response_id`, return 400.",
    fields: {
      model: MODEL,
      input: "Text, or a list of input items. Responses are not stored, so send the whole conversation.",
      instructions: "System instructions, placed before the input.",
      stream: STREAM,
      max_output_tokens: "The output limit in tokens. A value above the model's `max_output_tokens` returns 400.",
      tools: TOOLS,
      tool_choice: TOOL_CHOICE,
    },
  }),
  EmbeddingsRequest: component({
    schema: describedEmbeddings,
    about: "Other fields are forwarded to the provider unless its settings drop them.",
    fields: {
      model: `${MODEL} Its capabilities have \`embeddings: true\`.`,
      input:
        "Text, a list of up to 2,048 texts, a list of tokens, or a list of such lists. None can be empty, and none can be longer than the model's `context_window`.",
      dimensions: "The length of the vectors, for models that can shorten them.",
      encoding_format: {
        about: "`base64`: each vector is a text of little-endian 32-bit floats, which takes fewer bytes.",
        default: "float",
      },
      user: "Your identifier for your end user. The provider receives a pseudonym derived from it.",
    },
  }),
  InputMessage: component({
    schema: inputFields.messages.element,
    about: "One message of the conversation.",
    fields: { role: "The author of the message.", content: "Text, or a list of content blocks." },
  }),
  ContentBlock: component({
    schema: contentBlock,
    about: "A content block. Its other fields depend on its type.",
    fields: { type: "The type of the block, such as `text`, `image`, `tool_use` or `tool_result`." },
  }),
  MessageRequest: component({
    schema: messagesRequestSchema,
    about: "Other fields are forwarded to the provider unless its settings drop them.",
    fields: {
      model: MODEL,
      messages: "The conversation so far, oldest message first.",
      system: "The system prompt.",
      tools: TOOLS,
      tool_choice: TOOL_CHOICE,
      max_tokens: {
        about: "The output limit in tokens. A value above the model's `max_output_tokens` is lowered to it.",
        default: DEFAULT_MAX_TOKENS,
      },
      stream: STREAM,
      temperature: "Sampling temperature; higher is more random.",
      top_p: "Nucleus sampling: only the most likely tokens, up to this total probability, are considered.",
      top_k: "Only this many of the most likely tokens are considered.",
      stop_sequences: "Texts at which generation stops.",
      metadata: "`user_id` is your identifier for your end user. The provider receives a pseudonym derived from it.",
    },
  }),
  CountTokensRequest: component({
    schema: countRequestSchema,
    about: "The input of a message request. You can send its other fields too; they are not counted.",
    fields: {
      model: MODEL,
      messages: "The conversation so far, oldest message first.",
      system: "The system prompt.",
      tools: "Tools the model can call. Their definitions count as input.",
      tool_choice: TOOL_CHOICE,
    },
  }),
} satisfies Record<string, Component>;
