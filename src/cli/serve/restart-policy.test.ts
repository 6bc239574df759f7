import { expect, test } from "vitest";
import { restartAfter } from "./restart-policy.ts";

function waits(deaths: number, othersServe: boolean): (number | null)[] {
  let quickDeaths = 0;
  return Array.from({ length: deaths }, () => {
    const restart = restartAfter({ livedMs: 500, quickDeaths, othersServe });
    quickDeaths = restart.quickDeaths;
    return restart.waitMs;
  });
}

test("a worker that had lived is replaced at once, and its earlier deaths are forgiven", () => {
  expect(restartAfter({ livedMs: 10_000, quickDeaths: 4, othersServe: false })).toEqual({ waitMs: 0, quickDeaths: 0 });
});

test("one that keeps dying is replaced ever more slowly, for as long as others serve", () => {
  expect(waits(9, true)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
});

test("when none serves, the fifth quick death in a row is the last", () => {
  expect(waits(5, false)).toEqual([100, 200, 400, 800, null]);
});
