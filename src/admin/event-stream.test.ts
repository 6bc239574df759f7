import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { eventStream } from "./event-stream.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** News without end, and how much of it was asked for. */
function news() {
  const state = { asked: 0, left: false };
  const iterator = {
    next: async () => ({ done: false as const, value: ++state.asked }),
    return: async () => {
      state.left = true;
      return { done: true as const, value: undefined };
    },
  };
  return { state, endless: { [Symbol.asyncIterator]: () => iterator } };
}

test("a watcher that never reads is dropped after ten seconds, and nothing piles up for it", async () => {
  const { state, endless } = news();
  const stream = eventStream(endless, { textOf: (no) => `data: ${no}\n\n`, closing: new AbortController().signal });
  stream.once("readable", () => undefined);
  await vi.advanceTimersByTimeAsync(9_000);
  const before = { destroyed: stream.destroyed, asked: state.asked };
  await vi.advanceTimersByTimeAsync(2_000);

  expect(before.destroyed).toBe(false);
  expect(before.asked).toBeLessThan(5);
  expect(stream.destroyed).toBe(true);
  expect(state.left).toBe(true);
});

test("a feed ends when its listener closes", async () => {
  const { endless } = news();
  const closing = new AbortController();
  const stream = eventStream(endless, { textOf: (no) => `data: ${no}\n\n`, closing: closing.signal });
  const pieces: string[] = [];
  for await (const piece of stream) {
    pieces.push(String(piece));
    if (pieces.length === 3) closing.abort();
  }

  expect(pieces[0]).toBe("retry: 1000\n\n");
  expect(pieces.length).toBeLessThan(7);
});
