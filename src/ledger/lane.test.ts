import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { turn } from "../../tests/support/batcher-stage.ts";
import { createLane } from "./lane.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const TERMS = { timeoutMs: 1_000, longestMs: 10_000, refusable: false, abandoned: () => undefined };

/** A lane that paces itself by 50 ms while `isBusy`, over a ledger that answers at once. */
function pacedLane(isBusy: () => boolean) {
  const batches: number[][] = [];
  const lane = createLane<number, number>({
    send: async (items) => {
      batches.push([...items]);
      return [...items];
    },
    failureOf: () => "bug",
    bytesOf: () => 1,
    termsOf: () => TERMS,
    limits: { items: 4, bytes: 100, queued: 100, retryMs: 100, paceMs: 50 },
    clock: { elapsedMs: () => 0 },
    isBusy,
    breaker: null,
  });
  return { lane, batches };
}

test("a process with time to spare sends every call at once", async () => {
  const { lane, batches } = pacedLane(() => false);

  await lane.submit(1);
  await lane.submit(2);

  expect(batches).toEqual([[1], [2]]);
});

test("a busy process gathers calls for the pace", async () => {
  const { lane, batches } = pacedLane(() => true);
  await lane.submit(1);
  const paced = [lane.submit(2), lane.submit(3)];
  await turn();
  expect(batches).toEqual([[1]]);

  await vi.advanceTimersByTimeAsync(50);
  await Promise.all(paced);
  expect(batches).toEqual([[1], [2, 3]]);
});
