import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";

type Json = Record<string, unknown>;

const chat = (reason: string): Json => ({
  choices: [{ index: 0, message: { role: "assistant", content: "Once" }, finish_reason: reason }],
});
const chunk = (reason: string): Json => ({
  choices: [{ index: 0, delta: { content: "Once" }, finish_reason: reason }],
});

test.each([
  ["length", "max_tokens", "max_output_tokens"],
  ["model_length", "max_tokens", "max_output_tokens"],
  ["content_filter", "refusal", "content_filter"],
])("an answer that a chat provider cut off by %s is told as cut off", (reason, stopReason, incomplete) => {
  const messages = cross("messages", "chat");
  const responses = cross("responses", "chat");

  expect(messages.whole(chat(reason))).toMatchObject({ stop_reason: stopReason });
  expect(messages.events(chunk(reason))).toContainEqual(
    expect.objectContaining({ delta: expect.objectContaining({ stop_reason: stopReason }) as object }),
  );
  expect(responses.whole(chat(reason))).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: incomplete },
  });
});

test.each([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
  ["pause_turn", "stop"],
])("an answer that a messages provider ended by %s ends by %s in a chat completion", (reason, finish) => {
  const message = { type: "message", content: [{ type: "text", text: "Once" }], stop_reason: reason };

  expect(cross("chat", "messages").whole(message)).toMatchObject({ choices: [{ finish_reason: finish }] });
});
