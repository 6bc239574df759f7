import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Repetition } from "./repeat.ts";
import { startSweeper } from "./sweeper.ts";

/** How many abandoned holds there are; below zero the database fails. */
let abandoned: number;
/** The same of claims that have expired. */
let expired: number;
let removals: number;
let calls: number[];
let heard: unknown[];
let gate: Promise<void>;
let sweeper: Repetition;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  [calls, heard, gate] = [[], [], Promise.resolve()];
  [expired, removals] = [0, 0];
});
afterEach(async () => {
  await sweeper.stop();
  vi.useRealTimers();
});

function start(): void {
  sweeper = startSweeper({
    sweep: async (_, limit) => {
      calls.push(limit);
      await gate;
      if (abandoned < 0) throw new Error("no database");
      const count = Math.min(limit, abandoned);
      abandoned -= count;
      return Array.from({ length: count }, (__, n) => ({ id: `${n}`, keyId: "k", charged: 1n }));
    },
    forgetClaims: async ({ items }) => {
      removals += 1;
      if (expired < 0) throw new Error("too slow");
      const count = Math.min(items, expired);
      expired -= count;
      return count;
    },
    processId: "p",
    clock: { elapsedMs: () => Date.now() },
    onSwept: (holds) => heard.push(holds),
    onFailed: () => heard.push("failed"),
  });
}

test("full batches are followed by more at once, and their holds are told as one number", async () => {
  abandoned = 1_200;
  start();
  await vi.advanceTimersByTimeAsync(0);

  expect(calls).toEqual([500, 500, 500]);
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
