import { expect, test } from "vitest";
import { readDelta } from "./read-delta.ts";
import { readEvents, type StreamEvent } from "./read-events.ts";

async function eventsOf(...chunks: string[]): Promise<StreamEvent[]> {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of bytes) controller.enqueue(part);
      controller.close();
    },
  });
  return Array.fromAsync(readEvents(body));
}

test("events are whole, wherever the stream was cut, and comments are none", async () => {
  const events = await eventsOf(": keep\n\neve", 'nt: a\ndata: {"x"', ":1}\n", '\ndata: "é"\r\n\r\ndata: [DONE]\n\n');

  expect(events).toEqual([
    { name: "a", data: '{"x":1}' },
    { name: null, data: '"é"' },
    { name: null, data: "[DONE]" },
  ]);
});

test("a character that was cut in two is one again", async () => {
  const [first, second] = [new TextEncoder().encode("data: é\n\n").slice(0, 7), new Uint8Array([0xa9, 10, 10])];
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(first);
      controller.enqueue(second);
      controller.close();
    },
  });

  expect(await Array.fromAsync(readEvents(body))).toEqual([{ name: null, data: "é" }]);
});

test.each([
  ["chat", { choices: [{ delta: { content: "Hi" } }] }, { text: "Hi", reasoning: "" }],
  ["chat", { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }, { usage: { input: 3, output: 4 } }],
  ["responses", { type: "response.output_text.delta", delta: "Hi" }, { text: "Hi" }],
  [
    "responses",
    { type: "response.completed", response: { usage: { input_tokens: 3, output_tokens: 4 } } },
    { ended: true, usage: { input: 3, output: 4 } },
  ],
  [
    "responses",
    { type: "response.failed", response: { error: { code: "x", message: "y" } } },
    { error: { code: "x", message: "y" } },
  ],
  ["messages", { type: "content_block_delta", delta: { type: "text_delta", text: "Hi" } }, { text: "Hi" }],
  [
    "messages",
    { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } },
    { usage: { input: 3, output: 1 } },
  ],
  ["messages", { type: "message_delta", usage: { output_tokens: 4 } }, { usage: { output: 4 } }],
  ["messages", { type: "message_stop" }, { ended: true }],
  [
    "messages",
    { type: "error", error: { type: "api_error", message: "y" } },
    { error: { code: "api_error", message: "y" } },
  ],
] as const)("an event of %s adds what it says: %j", (format, event, delta) => {
  expect(readDelta(format, JSON.stringify(event))).toMatchObject(delta);
});

test("what is no JSON adds nothing, and [DONE] is the end", () => {
  expect(readDelta("chat", "{")).toEqual({});
  expect(readDelta("chat", "[DONE]")).toEqual({ ended: true });
});
