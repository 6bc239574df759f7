import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Repetition } from "./repeat.ts";
import { startSweeper } from "./sweeper.ts";

/** How many abandoned holds there are; below zero the database fails. */
let abandoned: number;
/** Which of them cannot be ended, by their place; places count from the oldest that was ever abandoned. */
let poisoned: Set<number>;
/** The place of the oldest that is left. */
let oldest: number;
/** The same of claims that have expired. */
let expired: number;
let removals: number;
let calls: number[];
let heard: unknown[];
let quarantined: string[];
let counted: number[];
let gate: Promise<void>;
let sweeper: Repetition;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  [calls, heard, quarantined, counted, gate] = [[], [], [], [], Promise.resolve()];
  [expired, removals, oldest, poisoned] = [0, 0, 0, new Set()];
});
afterEach(async () => {
  await sweeper.stop();
  vi.useRealTimers();
});

const REFUSED = new Error("one of them cannot be ended");

async function sweep(limit: number) {
  calls.push(limit);
  await gate;
  if (abandoned < 0) throw new Error("no database");
  const places = Array.from({ length: Math.min(limit, abandoned) }, (_, n) => oldest + n);
  const refused = places.some((place) => poisoned.has(place));
  if (refused && limit > 1) throw REFUSED;
  abandoned -= places.length;
  oldest += places.length;
  const holds = places.map((place) => ({ id: `${place}`, keyId: "k" }));
  return refused
    ? { swept: [], quarantined: holds.map((hold) => ({ ...hold, code: "23514", reason: "r" })) }
    : { swept: holds.map((hold) => ({ ...hold, charged: { credits: 1n, tokens: null } })), quarantined: [] };
}

function start(): void {
  sweeper = startSweeper({
    ledger: {
      sweep: (_, limit) => sweep(limit),
      countLost: async () => ({ quarantined: quarantined.length, lagSeconds: 0 }),
      forgetClaims: async ({ items }) => {
        removals += 1;
        if (expired < 0) throw new Error("too slow");
        const count = Math.min(items, expired);
        expired -= count;
        return count;
      },
    },
    failureOf: (error) => (error === REFUSED ? "data" : "lost"),
    processId: "p",
    clock: { elapsedMs: () => Date.now() },
    onSwept: (holds) => heard.push(holds),
    onQuarantined: ({ id }) => quarantined.push(id),
    onCounted: (lost) => counted.push(lost.quarantined),
    onFailed: () => heard.push("failed"),
  });
}

test("full batches are followed by more at once, and their holds are told as one number", async () => {
  abandoned = 1_200;
  start();
  await vi.advanceTimersByTimeAsync(0);

  expect(calls).toEqual([500, 500, 500, 500]);
  expect(heard).toEqual([1_200]);
});

test("a turn ends after twenty batches and the next goes on five seconds later", async () => {
  abandoned = 10_001;
  start();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(heard).toEqual([10_000]);
  await vi.advanceTimersByTimeAsync(1);

  expect(heard).toEqual([10_000, 1]);
});

test("a sweep that takes long is not joined by a second", async () => {
  const slow = Promise.withResolvers<void>();
  abandoned = 0;
  gate = slow.promise;
  start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toHaveLength(1);
  slow.resolve();
  await vi.advanceTimersByTimeAsync(0);

  expect(calls).toHaveLength(2);
});

test("a failure is told and tried again, and what had been swept before it is counted", async () => {
  abandoned = 500;
  start();
  await vi.advanceTimersByTimeAsync(0);
  abandoned = -1;
  await vi.advanceTimersByTimeAsync(5_000);
  abandoned = 3;
  await vi.advanceTimersByTimeAsync(5_000);

  expect(heard).toEqual([500, "failed", 3]);
});

test("stopping waits for the sweep under way", async () => {
  const slow = Promise.withResolvers<void>();
  abandoned = 7;
  gate = slow.promise;
  start();
  let stopped = false;
  const stopping = sweeper.stop().then(() => (stopped = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stopped).toBe(false);
  slow.resolve();
  await stopping;

  expect(heard).toEqual([7]);
});

test("claims that have expired are removed until none is left, and a turn ends after twenty batches of them", async () => {
  [abandoned, expired] = [0, 21_500];
  start();
  await vi.advanceTimersByTimeAsync(0);
  expect([expired, removals]).toEqual([1_500, 20]);
  await vi.advanceTimersByTimeAsync(5_000);

  expect([expired, removals]).toEqual([0, 23]);
});

test("claims that cannot be removed keep no hold from being swept", async () => {
  [abandoned, expired] = [3, -1];
  start();
  await vi.advanceTimersByTimeAsync(0);
  abandoned = 2;
  await vi.advanceTimersByTimeAsync(5_000);

  expect(heard).toEqual([3, "failed", 2, "failed"]);
});

test("a hold that cannot be ended is quarantined alone, and all others are ended in the same turn", async () => {
  [abandoned, poisoned] = [1_200, new Set([733])];
  start();
  await vi.advanceTimersByTimeAsync(0);

  expect(quarantined).toEqual(["733"]);
  expect(heard).toEqual([1_199]);
  expect(counted).toEqual([1]);
  expect(calls.length).toBeLessThan(45);
});

test.each([[[0]], [[499]], [[500]], [[3, 4, 5, 250, 1_199]]])(
  "nobody else is lost or left over when %j cannot be ended",
  async (places) => {
    [abandoned, poisoned] = [1_200, new Set(places)];
    start();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(quarantined).toEqual(places.map(String));
    expect(heard.reduce((sum: number, holds) => sum + Number(holds), 0)).toBe(1_200 - places.length);
    expect(abandoned).toBe(0);
  },
);

test("a turn makes 64 calls at most, however many holds cannot be ended, and the next goes on with small batches", async () => {
  [abandoned, poisoned] = [1_000, new Set(Array.from({ length: 1_000 }, (_, place) => place))];
  start();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(calls).toHaveLength(64);
  expect(quarantined).toHaveLength(56);
  await vi.advanceTimersByTimeAsync(1);

  expect(calls).toHaveLength(128);
  expect(quarantined).toHaveLength(56 + 64);
});

test("batches are whole again once nothing is refused", async () => {
  [abandoned, poisoned] = [2_000, new Set([0])];
  start();
  await vi.advanceTimersByTimeAsync(0);
  abandoned = 500;
  calls = [];
  await vi.advanceTimersByTimeAsync(5_000);

  expect(calls).toEqual([500, 500]);
});

test("a database that is away halves nothing and quarantines nobody", async () => {
  abandoned = -1;
  start();
  await vi.advanceTimersByTimeAsync(5_000);

  expect(calls).toEqual([500, 500]);
  expect(quarantined).toEqual([]);
});
