import { AnswerLimitError } from "../../core/request/answer-limit.ts";
import { expect, test } from "vitest";
import type { Json } from "../../core/bytes/json.ts";
import { createChatReader, wholeChatAnswer } from "./answer-to-form.ts";
import { formToChat } from "./form-to-request.ts";
import { messagesToForm } from "../messages/request-to-form.ts";
import { openSeal, seal } from "../../../tests/support/seals.ts";

const SECRET = { type: "reasoning.encrypted", data: "opaque", index: 0 };
const sealed = { kind: "block-sealed", index: 0, native: { dialect: "chat", value: { details: [SECRET] } } };

test("thoughts that nobody can read are a block of their own before the answer", () => {
  const message = { role: "assistant", content: "Hello", reasoning_details: [SECRET] };
  const { events } = wholeChatAnswer(
    Buffer.from(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] })),
    { model: "theirs" },
  );

  expect(events).toMatchObject([
    { kind: "answer-started" },
    { kind: "block-started", index: 0, block: { kind: "thinking" } },
    sealed,
    { kind: "block-stopped", index: 0 },
    { kind: "block-started", index: 1, block: { kind: "text" } },
    { kind: "block-grew", index: 1, text: "Hello" },
    { kind: "block-stopped", index: 1 },
    { kind: "answer-stopped" },
  ]);
});

test("in a stream they are kept until something else is said, or nothing more", () => {
  const reader = createChatReader();
  const chunk = (delta: Json) =>
    reader.read(Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`));
  chunk({ role: "assistant", content: null });

  expect(chunk({ content: "", reasoning_details: [SECRET] })).toEqual([]);
  reader.read(Buffer.from("data: [DONE]\n\n"));

  expect(reader.close()).toMatchObject([
    { kind: "block-started" },
    sealed,
    { kind: "block-stopped" },
    { kind: "answer-stopped" },
  ]);
});

test("the details of several thoughts go back together, in order", () => {
  const thought = (data: string) => {
    const signature = seal({ dialect: "chat", value: { field: "reasoning", details: [{ data }] } });
    return { type: "thinking", thinking: "", signature };
  };
  const content = [thought("a"), thought("b"), { type: "text", text: "Hello" }];
  const form = messagesToForm({ messages: [{ role: "assistant", content }] }, openSeal);

  const { messages } = formToChat(form, { model: "m", stream: false, maxOutputTokens: null });

  expect(messages).toMatchObject([{ content: "Hello", reasoning_details: [{ data: "a" }, { data: "b" }] }]);
});

const MEGABYTE = "x".repeat(1_048_576);

test.each([
  ["proofs of thinking", { reasoning: "a", reasoning_details: [{ type: "reasoning.text", text: MEGABYTE }] }],
  ["arguments of a call that has no name", { tool_calls: [{ index: 0, id: "a", function: { arguments: MEGABYTE } }] }],
])("%s are not kept without end", (_, delta) => {
  const reader = createChatReader();
  const event = Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
  const readAll = (times: number): unknown[] => Array.from({ length: times }, () => reader.read(event));

  expect(readAll(30)).not.toContain(null);
  expect(() => readAll(50)).toThrow(AnswerLimitError);
});
