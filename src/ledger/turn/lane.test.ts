import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { turn } from "../../../tests/support/batcher-stage.ts";
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

/** A lane that sends a second flush beside the first when three calls wait, over a ledger that answers when it is told to. */
function doubleLane() {
  const flushes: { items: number[]; answer: () => void; lose: () => void }[] = [];
  const lane = createLane<number, number>({
    send: (items) =>
      new Promise((resolve, reject) => {
        flushes.push({ items: [...items], answer: () => resolve([...items]), lose: () => reject(new Error("lost")) });
      }),
    failureOf: () => "lost",
    bytesOf: () => 1,
    termsOf: () => TERMS,
    limits: { items: 4, bytes: 100, queued: 100, retryMs: 100, paceMs: 0 },
    clock: { elapsedMs: () => 0 },
    besideItems: 3,
    breaker: null,
  });
  const sent = (): number[][] => flushes.map(({ items }) => items);
  const submit = async (...items: number[]): Promise<Promise<number>[]> => {
    const answers = items.map((item) => lane.submit(item));
    await turn();
    return answers;
  };
  return { flushes, sent, submit };
}

test("a second flush goes beside the first once enough calls wait, and never a third", async () => {
  const { flushes, sent, submit } = doubleLane();
  const first = await submit(1);
  const second = await submit(2, 3);
  expect(sent()).toEqual([[1]]);

  second.push(...(await submit(4)));
  expect(sent()).toEqual([[1], [2, 3, 4]]);

  const third = await submit(5, 6, 7, 8, 9);
  expect(sent()).toHaveLength(2);

  flushes[1]?.answer();
  expect(await Promise.all(second)).toEqual([2, 3, 4]);
  await turn();
  expect(sent().slice(2)).toEqual([[5, 6, 7, 8]]);

  for (const flush of flushes) flush.answer();
  expect(await Promise.all(first)).toEqual([1]);
  await turn();
  expect(sent().slice(3)).toEqual([[9]]);
  flushes[3]?.answer();
  expect(await Promise.all(third)).toEqual([5, 6, 7, 8, 9]);
});

test("what was lost rests before it goes again, and nothing goes beside it meanwhile", async () => {
  const { flushes, sent, submit } = doubleLane();
  const answers = await submit(1);
  flushes[0]?.lose();
  await turn();
  answers.push(...(await submit(2, 3, 4)));
  expect(sent()).toEqual([[1]]);

  await vi.advanceTimersByTimeAsync(100);
  await turn();
  expect(sent()).toEqual([[1], [1, 2, 3, 4]]);
  flushes[1]?.answer();
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4]);
});

test("two flushes that were lost both rest, however far apart they were lost", async () => {
  const { flushes, sent, submit } = doubleLane();
  const answers = [...(await submit(1)), ...(await submit(2, 3, 4))];
  flushes[0]?.lose();
  await turn();
  await vi.advanceTimersByTimeAsync(60);
  flushes[1]?.lose();
  await turn();

  await vi.advanceTimersByTimeAsync(40);
  await turn();
  expect(sent()).toEqual([[1], [2, 3, 4]]);

  await vi.advanceTimersByTimeAsync(60);
  await turn();
  expect(sent().slice(2)).toEqual([[2, 3, 4, 1]]);
  flushes[2]?.answer();
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4]);
});

test("tells how long each call waited until it was sent, and how long each batch took, answered or not", async () => {
  const time = { ms: 0 };
  const told: string[] = [];
  let fails = false;
  const { promise: open, resolve: answer } = Promise.withResolvers<void>();
  const lane = createLane<number, number>({
    send: async (items) => {
      if (items.includes(1)) await open;
      time.ms += 7;
      if (fails) throw new Error("defect");
      return [...items];
    },
    failureOf: () => "bug",
    bytesOf: () => 1,
    termsOf: () => TERMS,
    limits: { items: 4, bytes: 100, queued: 100, retryMs: 100, paceMs: 0 },
    clock: { elapsedMs: () => time.ms },
    breaker: null,
    times: { waited: (ms) => told.push(`waited ${ms}`), took: (ms) => told.push(`took ${ms}`) },
  });

  const first = lane.submit(1);
  await turn();
  const second = lane.submit(2);
  time.ms += 20;
  answer();
  await Promise.all([first, second]);
  fails = true;
  await expect(lane.submit(3)).rejects.toThrow("defect");

  expect(told).toEqual(["waited 0", "took 27", "waited 27", "took 7", "waited 0", "took 7"]);
});
