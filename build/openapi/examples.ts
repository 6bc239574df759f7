import type { Example } from "./document.ts";

export const EXAMPLE_REQUEST_ID = "req_019a84d2c6b87c1e9d3f0a5b7e2c4d60";

/** Readers replace it with an id from their own model list. [spec 1.3] */
export const EXAMPLE_MODEL = "your-model";
const MODEL = EXAMPLE_MODEL;
const CREATED = 1_767_225_600;
const QUESTION = [{ role: "user", content: "What is a toll gate?" }];
const ANSWER = "A place on a road where travellers pay before they pass.";

const plain = (value: object): Example => ({ summary: "A complete response", value: { model: MODEL, ...value } });
const streamed = (value: object): Example => ({
  summary: "A streamed response",
  value: { model: MODEL, ...value, stream: true },
});

const WEATHER = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
};
const WEATHER_QUESTION = [{ role: "user", content: "What is the weather in Oslo?" }];

export const CHAT_EXAMPLES = {
  plain: plain({ messages: QUESTION, max_tokens: 256 }),
  streamed: streamed({ messages: QUESTION, max_tokens: 256, stream_options: { include_usage: true } }),
  tools: {
    summary: "With a tool",
    value: {
      model: MODEL,
      messages: WEATHER_QUESTION,
      tools: [{ type: "function", function: { name: "get_weather", parameters: WEATHER } }],
      tool_choice: "auto",
    },
  },
};

export const RESPONSES_EXAMPLES = {
  plain: plain({ input: "What is a toll gate?", max_output_tokens: 256 }),
  streamed: streamed({ input: QUESTION, instructions: "Answer in one sentence.", max_output_tokens: 256 }),
};

export const MESSAGES_EXAMPLES = {
  plain: plain({ messages: QUESTION, max_tokens: 256 }),
  streamed: streamed({ system: "Answer in one sentence.", messages: QUESTION, max_tokens: 256 }),
  tools: {
    summary: "With a tool",
    value: {
      model: MODEL,
      max_tokens: 256,
      messages: [{ role: "user", content: [{ type: "text", text: "What is the weather in Oslo?" }] }],
      tools: [{ name: "get_weather", input_schema: WEATHER }],
      tool_choice: { type: "auto" },
    },
  },
};

export const COUNT_EXAMPLES = {
  plain: {
    summary: "Input of a message request",
    value: { model: MODEL, system: "Answer in one sentence.", messages: QUESTION },
  },
};

export const MODEL_LIST = {
  object: "list",
  data: [
    {
      id: MODEL,
      object: "model",
      created: CREATED,
      owned_by: "a-provider",
      display_name: "Your model",
      provider: "a-provider",
      context_window: 128_000,
      max_output_tokens: 16_384,
      capabilities: { streaming: true, tools: true },
      pricing: { unit: "credits_per_million_tokens", input: 0.4, output: 1.6 },
    },
  ],
};

export const CHAT_COMPLETION = {
  id: "chatcmpl-7Qm3",
  object: "chat.completion",
  created: CREATED,
  model: MODEL,
  choices: [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }],
  usage: { prompt_tokens: 13, completion_tokens: 12, total_tokens: 25 },
};

export const RESPONSES_RESULT = {
  id: "resp_7Qm3",
  object: "response",
  created_at: CREATED,
  status: "completed",
  model: MODEL,
  output: [
    {
      id: "msg_7Qm3",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: ANSWER, annotations: [] }],
    },
  ],
  usage: { input_tokens: 13, output_tokens: 12, total_tokens: 25 },
};

export const MESSAGE = {
  id: "msg_7Qm3",
  type: "message",
  role: "assistant",
  model: MODEL,
  content: [{ type: "text", text: ANSWER }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 13, output_tokens: 12 },
};

export const TOKEN_COUNT = { input_tokens: 18 };

export const USAGE_SUMMARY = {
  object: "usage.summary",
  key: {
    prefix: "tgc_0a1Qm3xY",
    label: "my laptop",
    status: "active",
    mode: "credit",
    provider_scope: "all",
    rpm_limit: 60,
  },
  credits: {
    total_purchased: 10,
    balance: 9.75,
    reserved: 0.01,
    used: 0.25,
    remaining: 9.74,
    remaining_usd: 9.74,
    last_request_cost: 0.0002,
    today_spend: 0.05,
    lifetime_spend: 0.25,
  },
  tokens: { budget: null, used: 25_000, reserved: 0, remaining: null, input: 20_000, output: 5_000, total: 25_000 },
  requests: { total: 40 },
  explanation:
    "Amounts are credits. balance is what the key has; reserved is the part reserved for requests in progress.",
};

const EMBEDDING_MODEL = "your-embedding-model";

export const EMBEDDINGS_EXAMPLES: Record<string, Example> = {
  plain: {
    summary: "Two texts",
    value: { model: EMBEDDING_MODEL, input: ["What is a toll gate?", "Who pays at it?"], dimensions: 3 },
  },
};

export const EMBEDDING_LIST = {
  object: "list",
  data: [
    { object: "embedding", index: 0, embedding: [0.267261, -0.534522, 0.801784] },
    { object: "embedding", index: 1, embedding: [-0.40824, 0.408248, 0.816497] },
  ],
  model: EMBEDDING_MODEL,
  usage: { prompt_tokens: 11, total_tokens: 11 },
};
