import { expect, test } from "vitest";
import { createPace, TurnLost } from "./pace.ts";

function stage({ sharePercent, isLost = () => false }: { sharePercent: number; isLost?: () => boolean }) {
  let nowMs = 0;
  const turns: number[] = [];
  const pace = createPace({
    clock: { elapsedMs: () => nowMs },
    sharePercent,
    keepEveryMs: 15_000,
    sleep: async (ms) => void (nowMs += ms),
    keepTurn: async () => {
      if (isLost()) throw new TurnLost("lost");
      turns.push(nowMs);
    },
  });
  const work = (ms: number) => async () => void (nowMs += ms);
  return { pace, turns, work, now: () => nowMs };
}

test("after a step it rests until the step was the share of all time, and counts the work alone", async () => {
  const { pace, work, now } = stage({ sharePercent: 2 });
  await pace.begin();

  for (const ms of [10, 100, 30]) await pace.step(work(ms));

  expect(now()).toBe(140 * 50);
  expect(pace.workedMs()).toBe(140);
});

test("what the process does between two steps is work, too", async () => {
  const { pace, work, now } = stage({ sharePercent: 10 });
  await pace.begin();
  await pace.step(work(10));
  await work(20)();
  await pace.step(work(10));

  expect(pace.workedMs()).toBe(40);
  expect(now()).toBe(400);
});

test("the turn is kept during a long rest, and a lost one ends the work", async () => {
  let lost = false;
  const { pace, turns, work } = stage({ sharePercent: 1, isLost: () => lost });
  await pace.begin();
  await pace.step(work(1_000));

  expect(turns.length).toBeGreaterThan(5);
  expect(Math.max(...turns.slice(1).map((ms, n) => ms - (turns[n] ?? 0)))).toBeLessThanOrEqual(16_000);
  lost = true;
  await expect(pace.step(work(1_000))).rejects.toThrow(TurnLost);
});

test("a whole core is used without a rest", async () => {
  const { pace, work, now } = stage({ sharePercent: 100 });
  await pace.begin();
  await pace.step(work(50));

  expect(now()).toBe(50);
});
