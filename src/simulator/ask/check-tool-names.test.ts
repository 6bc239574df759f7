import { expect, test } from "vitest";
import { chat } from "../chat/chat.ts";
import { messages } from "../messages/messages.ts";
import { responses } from "../responses/responses.ts";

const LONG = "n".repeat(65);
const SAID = { model: "sim", max_tokens: 9, messages: [{ role: "user", content: "hi" }], input: "hi" };
const fn = (name: string) => ({ type: "function", function: { name } });

test("names that a provider takes are taken, up to the length of its dialect", () => {
  expect(() => chat.read({ ...SAID, tools: [fn("n".repeat(64)), fn("a-b_c"), { type: "custom" }] })).not.toThrow();
  expect(() => responses.read({ ...SAID, tools: [{ type: "web_search" }, { name: "n".repeat(64) }] })).not.toThrow();
  expect(() => messages.read({ ...SAID, tools: [{ name: "n".repeat(128) }] })).not.toThrow();
});

test("a name that is too long, or has other characters in it, is refused with its place", () => {
  expect(() => chat.read({ ...SAID, tools: [fn("ok"), fn(LONG)] })).toThrow("tools.1.function.name");
  expect(() => chat.read({ ...SAID, tools: [fn("a.b")] })).toThrow("pattern");
  expect(() => responses.read({ ...SAID, tools: [{ type: "function", name: LONG }] })).toThrow("tools.0.name");
  expect(() => messages.read({ ...SAID, tools: [{ name: "n".repeat(129) }] })).toThrow("tools.0.name");
  expect(() => messages.read({ ...SAID, tools: [{ name: "a b" }] })).toThrow("pattern");
});

test("earlier calls are held to the same", () => {
  const call = { id: "c", ...fn(LONG) };
  const block = { type: "tool_use", id: "c", name: "a.b" };

  expect(() => chat.read({ ...SAID, messages: [{ role: "assistant", tool_calls: [call] }] })).toThrow("tool_calls.0");
  expect(() => responses.read({ ...SAID, input: [{ type: "function_call", name: LONG }] })).toThrow("input.0.name");
  expect(() => messages.read({ ...SAID, messages: [{ role: "assistant", content: [block] }] })).toThrow("content.0");
});
