import { expect, test } from "vitest";
import { plan as planBy, type Standing } from "./order-routes.ts";

/** A sequence that is the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
type Row = { id: string; priority: number; weight: number };
const ready: Standing = { verdict: "ready" };
const plan = (targets: readonly Row[], random: () => number, standings: Record<string, Standing> = {}): Row[] =>
  planBy(targets, { random, standingOf: ({ id }) => standings[id] ?? ready });
const target = (id: string, priority: number, weight: number) => ({ id, priority, weight });
const idsOf = (targets: readonly { id: string }[]): string => targets.map(({ id }) => id).join(" ");

test("a lower priority comes first, whatever the weights", () => {
  const random = seeded(1);
  const targets = [target("c", 2, 100), target("a", 0, 1), target("b", 1, 50)];

  for (let round = 0; round < 100; round++) expect(idsOf(plan(targets, random))).toBe("a b c");
});

test("among equals each comes first in proportion to its weight", () => {
  const random = seeded(7);
  const first = { heavy: 0, middle: 0, light: 0 };
  const targets = [target("light", 0, 1), target("heavy", 0, 6), target("middle", 0, 3)];
  const rounds = 20_000;
  for (let round = 0; round < rounds; round++) first[plan(targets, random)[0]?.id as "heavy"]++;

  expect(first.heavy / rounds).toBeCloseTo(0.6, 1);
  expect(first.middle / rounds).toBeCloseTo(0.3, 1);
  expect(first.light / rounds).toBeCloseTo(0.1, 1);
});

test("a weight of 0 is a last resort among equals, and still ahead of the next priority", () => {
  const random = seeded(3);
  const targets = [target("resort", 0, 0), target("normal", 0, 1), target("next", 1, 9)];

  for (let round = 0; round < 100; round++) expect(idsOf(plan(targets, random))).toBe("normal resort next");
});

test("every target is in the plan once, and the given list is left as it was", () => {
  const targets = [target("a", 1, 0), target("b", 1, 0), target("c", 0, 2)];

  expect(
    plan(targets, () => 0)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(["a", "b", "c"]);
  expect(idsOf(targets)).toBe("a b c");
  expect(plan([], Math.random)).toEqual([]);
});

test("a doubtful target comes after every one that is ready, the least bad of several first", () => {
  const targets = [target("bad", 0, 9), target("worse", 0, 9), target("good", 5, 1)];
  const standings = {
    bad: { verdict: "doubtful", badness: 0.4 },
    worse: { verdict: "doubtful", badness: 0.9 },
  } as const;

  expect(idsOf(plan(targets, seeded(1), standings))).toBe("good bad worse");
});

test("a target that is full or left alone is not in the plan, even when no other is", () => {
  const targets = [target("full", 0, 1), target("open", 0, 1)];
  const standings = { full: { verdict: "full" }, open: { verdict: "open" } } as const;

  expect(plan(targets, seeded(1), standings)).toEqual([]);
  expect(idsOf(plan([...targets, target("spare", 1, 0)], seeded(1), standings))).toBe("spare");
});
