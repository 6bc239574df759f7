import { expect, test } from "vitest";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { readChatRequest } from "../../wire/chat/chat-request.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { parseBody, type ParsedBody } from "../../wire/json/parse-body.ts";
import { readMessagesRequest } from "../../wire/messages/messages-request.ts";
import { readResponsesRequest } from "../../wire/responses/responses-request.ts";
import { pickTranslator } from "../pick-translator.ts";
import { callerStamp } from "../../../tests/support/seals.ts";

type Json = Record<string, unknown>;
const ORIGIN = { requestId: "req_1", createdAtSeconds: 1 };

function read(client: ClientDialect, parsed: ParsedBody): GenerationRequest {
  if (client === "responses") return readResponsesRequest(parsed);
  return client === "messages" ? readMessagesRequest(parsed, {}) : readChatRequest(parsed);
}

function requestOf(client: ClientDialect, body: Json) {
  const parsed = parseBody(Buffer.from(JSON.stringify({ model: "public", ...body })), 64);
  return { ...read(client, parsed), stamp: callerStamp() };
}

/** What a provider is sent for a caller's body. */
function sent(client: ClientDialect, provider: ClientDialect, body: Json): Json {
  const told = { upstreamModel: "theirs", maxOutputTokens: 500 };
  const translator = pickTranslator(client, { dialect: provider, conformant: true });
  return JSON.parse(translator.request(requestOf(client, body), told).toString()) as Json;
}

/** What a caller is given for a provider's whole answer. */
function given(client: ClientDialect, provider: ClientDialect, answer: Json): Json {
  const asked: Record<ClientDialect, Json> = {
    chat: { messages: [{ role: "user", content: "hi" }] },
    messages: { messages: [{ role: "user", content: "hi" }] },
    responses: { input: "hi" },
  };
  const { plain } = pickTranslator(client, { dialect: provider, conformant: true });
  return JSON.parse(
    plain(Buffer.from(JSON.stringify(answer)), requestOf(client, asked[client]), ORIGIN).bytes.toString(),
  ) as Json;
}

const PIXEL = "data:image/png;base64,AAAA";
const SCHEMA = { type: "object", properties: { city: { type: "string" } } };

const CHAT: Json = {
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: PIXEL } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        { id: "b", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } },
      ],
    },
    { role: "tool", tool_call_id: "a", content: "cold" },
    { role: "tool", tool_call_id: "b", content: "warm" },
    { role: "user", content: "And now?" },
  ],
  tools: [{ type: "function", function: { name: "weather", parameters: SCHEMA } }],
  tool_choice: "required",
  parallel_tool_calls: false,
  stop: ["END"],
  response_format: { type: "json_schema", json_schema: { name: "it", schema: SCHEMA } },
};

const MESSAGES: Json = {
  system: "Be brief.",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } },
        { type: "tool_use", id: "b", name: "weather", input: { city: "Rome" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "cold" },
        { type: "tool_result", tool_use_id: "b", content: "warm" },
        { type: "text", text: "And now?" },
      ],
    },
  ],
  tools: [{ name: "weather", input_schema: SCHEMA }],
  tool_choice: { type: "any", disable_parallel_tool_use: true },
  stop_sequences: ["END"],
  output_config: { format: { type: "json_schema", schema: SCHEMA } },
};

const RESPONSES: Json = {
  instructions: "Be brief.",
  input: [
    {
      role: "user",
      content: [
        { type: "input_text", text: "What is this?" },
        { type: "input_image", image_url: PIXEL },
      ],
    },
    { type: "function_call", call_id: "a", name: "weather", arguments: '{"city":"Oslo"}' },
    { type: "function_call", call_id: "b", name: "weather", arguments: '{"city":"Rome"}' },
    { type: "function_call_output", call_id: "a", output: "cold" },
    { type: "function_call_output", call_id: "b", output: "warm" },
    { role: "user", content: "And now?" },
  ],
  tools: [{ type: "function", name: "weather", parameters: SCHEMA }],
  tool_choice: "required",
  parallel_tool_calls: false,
  text: { format: { type: "json_schema", name: "it", schema: SCHEMA } },
};
const BODIES: Record<ClientDialect, Json> = { chat: CHAT, messages: MESSAGES, responses: RESPONSES };

test.each(["messages", "responses"] as const)(
  "a chat provider is sent a %s conversation with its parallel calls in place",
  (client) => {
    const body = sent(client, "chat", BODIES[client]);
    const expected = structuredClone(CHAT["messages"]) as Json[];

    expect(body["messages"]).toEqual(expected);
    expect(body).toMatchObject({
      model: "theirs",
      max_tokens: 500,
      tools: CHAT["tools"],
      tool_choice: "required",
      parallel_tool_calls: false,
      response_format: { json_schema: { schema: SCHEMA } },
    });
  },
);

test.each(["chat", "responses"] as const)(
  "a messages provider is sent a %s conversation with all results in one turn",
  (client) => {
    const body = sent(client, "messages", BODIES[client]);
    const texts = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replaceAll(/"content":"(\w+)"/g, '"content":[{"type":"text","text":"$1"}]'));

    expect(body["messages"]).toEqual(texts(MESSAGES["messages"]));
    expect(body["system"]).toEqual([{ type: "text", text: "Be brief." }]);
    expect(body).toMatchObject({
      model: "theirs",
      max_tokens: 500,
      tools: MESSAGES["tools"],
      tool_choice: MESSAGES["tool_choice"],
      output_config: MESSAGES["output_config"],
    });
  },
);

test.each(["chat", "messages"] as const)(
  "a responses provider is sent a %s conversation as items, and keeps nothing",
  (client) => {
    const body = sent(client, "responses", BODIES[client]);

    expect(body["input"]).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: PIXEL, detail: "auto" },
        ],
      },
      ...(RESPONSES["input"] as Json[]).slice(1, 5),
      { type: "message", role: "user", content: [{ type: "input_text", text: "And now?" }] },
    ]);
    expect(body).toMatchObject({
      instructions: "Be brief.",
      store: false,
      max_output_tokens: 500,
      tool_choice: "required",
    });
  },
);

const THOUGHT = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [
    { type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" },
    { type: "redacted_thinking", data: "c2VjcmV0" },
    { type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } },
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 5 },
};

test("thinking signed by a messages provider comes back to it through a chat client as it was", () => {
  const answer = given("chat", "messages", THOUGHT) as { choices: { message: Json }[]; usage: Json };
  const { message } = answer.choices[0] ?? { message: {} };
  const body = sent("chat", "messages", { messages: [{ role: "user", content: "hi" }, message] });

  expect(message).toMatchObject({ reasoning_content: "Let me see.", content: null });
  expect(answer.usage).toMatchObject({ prompt_tokens: 14, prompt_tokens_details: { cached_tokens: 4 } });
  expect((body["messages"] as Json[])[1]).toEqual({ role: "assistant", content: THOUGHT.content });
});

test("thinking signed by a messages provider comes back to it through a responses client as it was", () => {
  const { output } = given("responses", "messages", THOUGHT) as { output: Json[] };
  const body = sent("responses", "messages", { input: [{ role: "user", content: "hi" }, ...output] });

  expect((body["messages"] as Json[])[1]).toEqual({ role: "assistant", content: THOUGHT.content });
});

test.each(["chat", "messages"] as const)(
  "thoughts a responses provider has encrypted come back to it through a %s client",
  (client) => {
    const item = {
      id: "rs_1",
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "xyz",
    };
    const part = { type: "output_text", text: "Yes.", annotations: [] };
    const output = [item, { id: "m", type: "message", role: "assistant", content: [part] }];
    const answer = given(client, "responses", { object: "response", status: "completed", output });
    const said =
      client === "chat"
        ? (answer as { choices: { message: Json }[] }).choices[0]?.message
        : { role: "assistant", content: answer["content"] };
    const body = sent(client, "responses", { messages: [{ role: "user", content: "hi" }, said ?? {}] });

    expect((body["input"] as Json[])[1]).toEqual(item);
  },
);

test("a chat provider's own thinking goes back to it under the name it had, and to nobody else", () => {
  const message = { role: "assistant", content: "Yes.", reasoning: "Hm." };
  const answer = given("messages", "chat", { choices: [{ index: 0, message, finish_reason: "stop" }] });
  const turn = { role: "assistant", content: answer["content"] };
  const again = { messages: [{ role: "user", content: "hi" }, turn] };

  expect((sent("messages", "chat", again)["messages"] as Json[])[1]).toEqual(message);
  expect(JSON.stringify(sent("messages", "responses", again))).not.toContain("Hm.");
});

test("a refusal is a refusal in every format", () => {
  const refused = {
    ...THOUGHT,
    content: [],
    stop_reason: "refusal",
    stop_details: { type: "refusal", explanation: "No." },
  };
  const chat = { choices: [{ index: 0, message: { content: null, refusal: "No." }, finish_reason: "stop" }] };

  expect(given("chat", "messages", refused)["choices"]).toMatchObject([
    { message: { content: null, refusal: "No." }, finish_reason: "content_filter" },
  ]);
  expect(given("responses", "messages", refused)).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
    output: [{ content: [{ type: "refusal", refusal: "No." }] }],
  });
  expect(given("messages", "chat", chat)).toMatchObject({
    content: [{ type: "text", text: "No." }],
    stop_reason: "refusal",
  });
});

test("an answer that was cut by the limit says so in every format", () => {
  const chat = { choices: [{ index: 0, message: { content: "Once" }, finish_reason: "length" }] };

  expect(given("messages", "chat", chat)).toMatchObject({ stop_reason: "max_tokens" });
  expect(given("responses", "chat", chat)).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
  });
  expect(given("chat", "messages", { ...THOUGHT, stop_reason: "max_tokens" })["choices"]).toMatchObject([
    { finish_reason: "length" },
  ]);
});

test("a provider that keeps its format to the letter is asked for its ordinary price", () => {
  expect(sent("chat", "responses", CHAT)).toMatchObject({ service_tier: "default" });
  expect(sent("chat", "messages", CHAT)).toMatchObject({ service_tier: "standard_only" });
  expect(sent("messages", "chat", MESSAGES)).not.toHaveProperty("service_tier");
});
