import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";

type Json = Record<string, unknown>;
const USAGE = { input_tokens: 3, output_tokens: 5, service_tier: "standard" };

/** What a messages provider writes of tools it runs itself, between what is for everybody. */
const BLOCKS: Json[] = [
  { type: "text", text: "Let me look. " },
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "tides" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result", url: "u" }] },
  { type: "mcp_tool_use", id: "mcptoolu_1", name: "m", server_name: "s", input: {} },
  { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [] },
  { type: "container_upload", file_id: "file_1" },
  { type: "compaction", content: "shorter" },
  { type: "never_heard_of", text: "not for anybody" },
  { type: "text", text: "Twice a day." },
  { type: "tool_use", id: "toolu_1", name: "note", input: { text: "twice" } },
];

function streamed(stopReason: string): Json[] {
  const blocks = BLOCKS.flatMap((block, index): Json[] => {
    const { text, input } = block;
    const delta =
      block["type"] === "text"
        ? { type: "text_delta", text }
        : { type: "input_json_delta", partial_json: JSON.stringify(input ?? {}) };
    const empty = { ...block, ...(block["type"] === "text" ? { text: "" } : {}), ...(input ? { input: {} } : {}) };
    return [
      { type: "content_block_start", index, content_block: empty },
      { type: "content_block_delta", index, delta },
      { type: "content_block_delta", index, delta: { type: "never_heard_of_delta", data: 1 } },
      { type: "content_block_stop", index },
    ];
  });
  return [
    { type: "message_start", message: { usage: USAGE } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}
const whole = (stopReason: string): Json => ({
  type: "message",
  content: BLOCKS,
  stop_reason: stopReason,
  usage: USAGE,
});

test("what only a messages provider's own tools write leaves no gap in a chat answer", () => {
  const { events, whole: read } = cross("chat", "messages");
  const choices = (events(...streamed("tool_use")) ?? []).flatMap((chunk) => chunk["choices"] as { delta: Json }[]);
  const text = choices.map(({ delta }) => (typeof delta["content"] === "string" ? delta["content"] : "")).join("");
  const numbers = choices.flatMap(({ delta }) => (delta["tool_calls"] as { index: number }[] | undefined) ?? []);
  const call = { id: "toolu_1", type: "function", function: { name: "note", arguments: '{"text":"twice"}' } };

  expect(text).toBe("Let me look. Twice a day.");
  expect(new Set(numbers.map(({ index }) => index))).toEqual(new Set([0]));
  expect(read(whole("tool_use"))["choices"]).toMatchObject([
    { message: { content: text, tool_calls: [call] }, finish_reason: "tool_calls" },
  ]);
});

test("what only a messages provider's own tools write leaves no gap in a responses answer", () => {
  const { events, whole: read } = cross("responses", "messages");
  const told = events(...streamed("tool_use")) ?? [];
  const added = told.filter(({ type }) => type === "response.output_item.added");
  const kinds = ["message", "message", "function_call"].map((type) => ({ type }));

  expect(added.map(({ output_index: place }) => place)).toEqual([0, 1, 2]);
  expect(told.map(({ sequence_number: number }) => number)).toEqual(told.map((_, index) => index));
  expect(told.at(-1)).toMatchObject({ type: "response.completed", response: { output: kinds } });
  expect(read(whole("tool_use"))["output"]).toMatchObject(kinds);
});

test.each([
  ["pause_turn", "tool_calls", "completed"],
  ["model_context_window_exceeded", "length", "incomplete"],
  ["never_heard_of", "tool_calls", "completed"],
])("an answer that a messages provider ends with %s has an end in every format", (reason, finish, status) => {
  const chat = cross("chat", "messages");
  const responses = cross("responses", "messages");
  const finishes = (chat.events(...streamed(reason)) ?? []).flatMap((chunk) => chunk["choices"] as Json[]);

  expect(finishes.at(-1)).toMatchObject({ finish_reason: finish });
  expect(chat.whole(whole(reason))["choices"]).toMatchObject([{ finish_reason: finish }]);
  expect(responses.events(...streamed(reason))?.at(-1)).toMatchObject({ response: { status } });
  expect(responses.whole(whole(reason))).toMatchObject({ status });
});

test("what only a responses provider's own tools write leaves no gap in a message, and is counted in its usage", () => {
  const said = { id: "m", type: "message", role: "assistant", content: [{ type: "output_text", text: "Twice." }] };
  const search = { id: "ws", type: "web_search_call", status: "completed" };
  const response = {
    object: "response",
    status: "completed",
    service_tier: "default",
    output: [search, { id: "x", type: "never_heard_of" }, said],
    usage: { input_tokens: 3, output_tokens: 5 },
  };
  const { events, whole: read } = cross("messages", "responses");
  const told =
    events(
      { type: "response.created", response: {} },
      { type: "response.output_item.added", output_index: 0, item: search },
      { type: "response.web_search_call.searching", output_index: 0, item_id: "ws" },
      { type: "response.output_item.done", output_index: 0, item: search },
      { type: "response.output_text.delta", output_index: 2, content_index: 0, delta: "Twice." },
      { type: "response.output_item.done", output_index: 2, item: said },
      { type: "response.completed", response },
    ) ?? [];
  const counted = { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } };

  expect(told.filter(({ type }) => type === "content_block_start").map(({ index }) => index)).toEqual([0]);
  expect(told.find(({ type }) => type === "message_delta")).toMatchObject({ usage: counted });
  expect(read(response)).toMatchObject({
    content: [{ text: "Twice." }],
    usage: { ...counted, service_tier: "standard" },
  });
});

test("a caller is told on what terms it was served, in its own format's words", () => {
  const message = { ...whole("end_turn"), usage: { ...USAGE, service_tier: "priority" } };
  const chat = (tier: string): Json => ({
    service_tier: tier,
    choices: [{ index: 0, message: { content: "Yes." }, finish_reason: "stop" }],
  });
  const chunk = { service_tier: "default", choices: [{ index: 0, delta: { content: "Yes." }, finish_reason: "stop" }] };

  expect(cross("chat", "messages").whole(whole("end_turn"))).toMatchObject({ service_tier: "default" });
  expect(cross("responses", "messages").whole(message)).toMatchObject({ service_tier: "priority" });
  expect(cross("messages", "chat").whole(chat("default"))).toMatchObject({ usage: { service_tier: "standard" } });
  expect(cross("messages", "chat").whole(chat("flex"))).toMatchObject({ usage: { service_tier: null } });
  expect(cross("messages", "chat").events(chunk)?.[0]).toMatchObject({
    message: { usage: { service_tier: "standard" } },
  });
  expect(cross("chat", "messages").events(...streamed("end_turn"))?.[0]).toMatchObject({ service_tier: "default" });
});

test.each(["error", "abort", "insufficient_system_resource"])(
  "a chat provider that ends with %s has failed, whatever it said before",
  (reason) => {
    const choice = { index: 0, finish_reason: reason };

    expect(cross("messages", "chat").events({ choices: [{ ...choice, delta: { content: "Tw" } }] })).toBeNull();
    expect(() => cross("messages", "chat").whole({ choices: [{ ...choice, message: { content: "Tw" } }] })).toThrow(
      expect.objectContaining({ code: "upstream_error" }),
    );
  },
);
