import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";

const INSTRUCTIONS = [{ role: "system", content: "Write a haiku." }];

test("a conversation of instructions alone is one that every provider takes", () => {
  expect(cross("chat", "messages").sent({ messages: INSTRUCTIONS })["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "Write a haiku." }] },
  ]);
  expect(cross("chat", "responses").sent({ messages: INSTRUCTIONS })["input"]).toEqual([
    { type: "message", role: "system", content: [{ type: "input_text", text: "Write a haiku." }] },
  ]);
  expect(cross("responses", "chat").sent({ input: INSTRUCTIONS })["messages"]).toEqual(INSTRUCTIONS);
});

test("instructions before anybody else speaks are given apart from the conversation", () => {
  const messages = [...INSTRUCTIONS, { role: "user", content: "Now." }];

  expect(cross("chat", "messages").sent({ messages })).toMatchObject({
    system: [{ type: "text", text: "Write a haiku." }],
    messages: [{ role: "user", content: [{ type: "text", text: "Now." }] }],
  });
  expect(cross("chat", "responses").sent({ messages })["instructions"]).toBe("Write a haiku.");
});
