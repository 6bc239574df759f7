import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";

type Json = Record<string, unknown>;

/** A messages conversation in which a tool has said this. */
const answered = (content: unknown): Json => ({
  messages: [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] },
  ],
});
const TEXTS = ["one.txt", "two.txt"].map((text) => ({ type: "text", text }));

test("several texts of one result do not run into each other", () => {
  const told = "one.txt\ntwo.txt";

  expect(cross("messages", "chat").sent(answered(TEXTS))["messages"]).toContainEqual({
    role: "tool",
    tool_call_id: "a",
    content: told,
  });
  expect(cross("messages", "responses").sent(answered(TEXTS))["input"]).toContainEqual({
    type: "function_call_output",
    call_id: "a",
    output: told,
  });
});

test.each([
  ["one text", "one.txt", "one.txt"],
  ["a list of one text", TEXTS.slice(0, 1), "one.txt"],
  ["nothing", [], ""],
])("%s is told as plain text to either", (_, content, told) => {
  expect(cross("messages", "chat").sent(answered(content))["messages"]).toContainEqual(
    expect.objectContaining({ role: "tool", content: told }),
  );
  expect(cross("messages", "responses").sent(answered(content))["input"]).toContainEqual(
    expect.objectContaining({ type: "function_call_output", output: told }),
  );
});

test("tools that a search has found are named one by one", () => {
  const found = ["lookup", "remember"].map((name) => ({ type: "tool_reference", tool_name: name }));
  const { messages } = cross("messages", "chat").sent(answered(found));

  expect(messages).toContainEqual(
    expect.objectContaining({ content: "Tool available: lookup\nTool available: remember" }),
  );
});
