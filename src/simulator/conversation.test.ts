import { expect, test } from "vitest";
import { DIALECTS } from "./dialects.ts";
import { seal, sign } from "./plan/proof.ts";

const user = { role: "user", content: "x" };
const chat =
  (...messages: object[]) =>
  () =>
    DIALECTS.chat.read({ model: "sim", messages: [user, ...messages] });
const messages =
  (...said: object[]) =>
  () =>
    DIALECTS.messages.read({ model: "sim", max_tokens: 9, messages: [user, ...said] });
const responses =
  (...items: object[]) =>
  () =>
    DIALECTS.responses.read({ model: "sim", store: false, input: [user, ...items] });

const chatCalls = { role: "assistant", tool_calls: [{ id: "a" }, { id: "b" }] };
const chatResult = (id: string) => ({ role: "tool", tool_call_id: id, content: "cold" });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const use = (id: string) => ({ type: "tool_use", id, name: "weather", input: {} });
const results = (...ids: string[]) => ({
  role: "user",
  content: ids.map((id) => ({ type: "tool_result", tool_use_id: id })),
});
const call = (id: string) => ({ type: "function_call", call_id: id });
const output = (id: string) => ({ type: "function_call_output", call_id: id });
const thought = { type: "reasoning", id: "rs_1", encrypted_content: seal("encrypted", "rs_1"), summary: [] };

test.each([
  ["chat", chat(chatCalls, chatResult("b"), chatResult("a"), user)],
  ["messages", messages(assistant(use("a"), use("b")), results("a", "b"))],
  ["responses", responses(call("a"), call("b"), output("a"), output("b"))],
  [
    "responses",
    responses({ type: "custom_tool_call", call_id: "a" }, { type: "custom_tool_call_output", call_id: "a" }),
  ],
])("in %s calls with their results are taken", (_, read) => {
  expect(read).not.toThrow();
});

test.each([
  ["chat", chat(chatCalls, chatResult("a"))],
  ["chat", chat(chatCalls, chatResult("a"), user)],
  ["messages", messages(assistant(use("a"), use("b")), results("a"))],
  ["messages", messages(assistant(use("a")))],
  ["messages", messages(assistant(use("a")), assistant(), results("a"))],
  ["responses", responses(call("a"), call("b"), output("a"))],
  ["responses", responses({ type: "custom_tool_call", call_id: "a" }, output("a"))],
])("in %s a call without its result is refused", (_, read) => {
  expect(read).toThrow(/call|tool_use/);
});

test.each([
  ["chat", chat(chatResult("a"))],
  ["chat", chat(chatCalls, chatResult("c"))],
  ["chat", chat(chatCalls, chatResult("a"), chatResult("a"))],
  ["messages", messages(results("a"))],
  ["messages", messages(assistant(use("a")), results("a"), results("a"))],
  ["responses", responses(output("a"))],
])("in %s a result that answers no call is refused", (_, read) => {
  expect(read).toThrow(/call|tool_use_id/);
});

test("thoughts that come back as they were given are taken", () => {
  const pieces = [{ text: "a " }, { text: "b" }, { signature: sign("signature", "a b") }];
  const details = pieces.map((piece) => ({ type: "reasoning.text", index: 0, ...piece }));

  expect(messages(assistant({ type: "thinking", thinking: "hm", signature: sign("signature", "hm") }))).not.toThrow();
  expect(messages(assistant({ type: "redacted_thinking", data: seal("redacted", "1") }))).not.toThrow();
  expect(responses(thought, call("a"), output("a"))).not.toThrow();
  expect(responses(thought, { type: "web_search_call" }, thought, { role: "assistant", content: "x" })).not.toThrow();
  expect(chat({ role: "assistant", content: "x", reasoning_details: details })).not.toThrow();
});

test.each([
  [
    "a text that was changed",
    messages(assistant({ type: "thinking", thinking: "h", signature: sign("signature", "hm") })),
  ],
  ["no signature", messages(assistant({ type: "thinking", thinking: "hm" }))],
  ["data of another's", messages(assistant({ type: "redacted_thinking", data: "EvQBCkYICxgC" }))],
  ["content of another's", responses({ ...thought, encrypted_content: "gAAAAABpPDIU" }, call("a"), output("a"))],
  ["another item's name", responses({ ...thought, id: "rs_2" }, call("a"), output("a"))],
  [
    "details that were changed",
    chat({
      role: "assistant",
      content: "x",
      reasoning_details: [{ type: "reasoning.text", text: "a", signature: sign("signature", "b") }],
    }),
  ],
])("thoughts with %s are refused", (_, read) => {
  expect(read).toThrow(/signature|data|verified|thoughts/);
});

test("thoughts without the item they led to are refused where providers do", () => {
  expect(responses(thought, user)).toThrow("required following item");
  expect(responses(thought)).toThrow("required following item");
  expect(responses(call("a"), thought, output("a"))).toThrow("required following item");
});

test.each([
  ["thoughts by their name alone", { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] }],
  ["thoughts with nothing to read", { type: "reasoning", id: "rs_1", summary: [], content: [] }],
  ["a reference", { type: "item_reference", id: "rs_1" }],
])("a provider that stores nothing does not find %s, in the words of OpenAI", (_, item) => {
  expect(responses(item, call("a"), output("a"))).toThrow(
    expect.objectContaining({
      status: 404,
      param: "input",
      message:
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    }),
  );
});

test("thoughts that can be read need not be found", () => {
  const content = [{ type: "reasoning_text", text: "hm" }];

  expect(responses({ type: "reasoning", id: "rs_1", summary: [], content }, call("a"), output("a"))).not.toThrow();
});
