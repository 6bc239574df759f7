import { expect, test } from "vitest";
import { orderRoutes as orderBy, type RouteStanding } from "./order-routes.ts";

/** A sequence that is the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
type Row = { id: string; priority: number; weight: number };
const ready: RouteStanding = { verdict: "ready" };
const orderRoutes = (
  routes: readonly Row[],
  random: () => number,
  standings: Record<string, RouteStanding> = {},
): Row[] => orderBy(routes, { random, standingOf: ({ id }) => standings[id] ?? ready });
const route = (id: string, priority: number, weight: number) => ({ id, priority, weight });
const idsOf = (routes: readonly { id: string }[]): string => routes.map(({ id }) => id).join(" ");

test("a lower priority comes first, whatever the weights", () => {
  const random = seeded(1);
  const routes = [route("c", 2, 100), route("a", 0, 1), route("b", 1, 50)];

  for (let round = 0; round < 100; round++) expect(idsOf(orderRoutes(routes, random))).toBe("a b c");
});

test("among equals each comes first in proportion to its weight", () => {
  const random = seeded(7);
  const first = { heavy: 0, middle: 0, light: 0 };
  const routes = [route("light", 0, 1), route("heavy", 0, 6), route("middle", 0, 3)];
  const rounds = 20_000;
  for (let round = 0; round < rounds; round++) first[orderRoutes(routes, random)[0]?.id as "heavy"]++;

  expect(first.heavy / rounds).toBeCloseTo(0.6, 1);
  expect(first.middle / rounds).toBeCloseTo(0.3, 1);
  expect(first.light / rounds).toBeCloseTo(0.1, 1);
});

test("a weight of 0 is a last resort among equals, and still ahead of the next priority", () => {
  const random = seeded(3);
  const routes = [route("resort", 0, 0), route("normal", 0, 1), route("next", 1, 9)];

  for (let round = 0; round < 100; round++) expect(idsOf(orderRoutes(routes, random))).toBe("normal resort next");
});

test("every route is in the plan once, and the given list is left as it was", () => {
  const routes = [route("a", 1, 0), route("b", 1, 0), route("c", 0, 2)];

  expect(
    orderRoutes(routes, () => 0)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(["a", "b", "c"]);
  expect(idsOf(routes)).toBe("a b c");
  expect(orderRoutes([], Math.random)).toEqual([]);
});

test("a doubtful route comes after every one that is ready, the least bad of several first", () => {
  const routes = [route("bad", 0, 9), route("worse", 0, 9), route("good", 5, 1)];
  const standings = {
    bad: { verdict: "doubtful", badness: 0.4 },
    worse: { verdict: "doubtful", badness: 0.9 },
  } as const;

  expect(idsOf(orderRoutes(routes, seeded(1), standings))).toBe("good bad worse");
});

test("a route that is full or left alone is not in the plan, even when no other is", () => {
  const routes = [route("full", 0, 1), route("open", 0, 1)];
  const standings = { full: { verdict: "full" }, open: { verdict: "open" } } as const;

  expect(orderRoutes(routes, seeded(1), standings)).toEqual([]);
  expect(idsOf(orderRoutes([...routes, route("spare", 1, 0)], seeded(1), standings))).toBe("spare");
});
