import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { turn } from "../../tests/support/batcher-stage.ts";
import { createLane } from "./lane.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Items from here on. */
const URGENT = 100;
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
    isUrgent: (item) => item >= URGENT,
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

test("an urgent call of a busy process goes at once, with what waits for the pace", async () => {
  const { lane, batches } = pacedLane(() => true);
  await lane.submit(1);
  const paced = lane.submit(2);
  await turn();

  // No timer has run.
  const inSameTurn = async (): Promise<number> => {
    for (let ticks = 0; ticks < 20; ticks++) await Promise.resolve();
    return lane.submit(URGENT + 1);
  };
  await Promise.all([lane.submit(URGENT), inSameTurn(), paced]);
  await lane.submit(URGENT + 2);
  expect(batches).toEqual([[1], [2, URGENT, URGENT + 1], [URGENT + 2]]);

  const next = lane.submit(3);
  await turn();
  expect(batches).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(50);
  await next;
  expect(batches.at(-1)).toEqual([3]);
});

test("an urgent call beyond a whole batch goes with the next one, at once", async () => {
  const { lane, batches } = pacedLane(() => true);
  await lane.submit(1);

  await Promise.all([2, 3, 4, 5, 6, URGENT].map((item) => lane.submit(item)));

  expect(batches).toEqual([[1], [2, 3, 4, 5], [6, URGENT]]);
});
