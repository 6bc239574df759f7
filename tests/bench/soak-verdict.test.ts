import { expect, test } from "vitest";
import { driftsOf, type Minute, slopeOf, soakMisses } from "./soak-verdict.ts";

const minute = (number: number, changes: Partial<Minute> = {}): Minute => ({
  minute: number,
  rate: 3000,
  p50Ms: 2,
  p99Ms: 10,
  residentMiB: 200,
  promotedKb: 0.5,
  allocatedKb: 24,
  cpuMicros: 100,
  databaseMicros: 60,
  requests: 180_000,
  failures: 0,
  firstFailure: "",
  disturbed: null,
  ...changes,
});

const hour = (changes: (number: number) => Partial<Minute>): Minute[] =>
  Array.from({ length: 60 }, (_, index) => minute(index + 1, changes(index + 1)));

test("a run in which every minute is alike is flat", () => {
  expect(soakMisses(hour(() => ({})))).toEqual([]);
});

test("memory that leaks a mebibyte a minute is not flat, and its slope is per hour", () => {
  const leaking = hour((number) => ({ residentMiB: 200 + number }));

  expect(soakMisses(leaking)).toEqual(["resident memory changes by 23.2 % over the run"]);
  expect(driftsOf(leaking).find(({ id }) => id === "residentMiB")?.slope).toBeCloseTo(60);
});

test("memory that fills in the first minutes and then stays is flat", () => {
  expect(soakMisses(hour((number) => ({ residentMiB: number <= 5 ? 100 + 20 * number : 200 })))).toEqual([]);
});

test("a few bad minutes do not bend the line; a tail that grows does", () => {
  expect(soakMisses(hour((number) => ({ p99Ms: number === 30 || number === 59 ? 90 : 10 })))).toEqual([]);
  expect(soakMisses(hour((number) => ({ p99Ms: 10 + number / 10 })))).toEqual(["p99 changes by 40.6 % over the run"]);
});

test("a falling rate and failures are told", () => {
  expect(soakMisses(hour((number) => ({ rate: 3000 - 3 * number })))).toHaveLength(1);
  expect(soakMisses([minute(1), minute(2, { failures: 2, firstFailure: "status 503" }), minute(3)])).toEqual([
    "2 requests failed, the first with status 503",
  ]);
  expect(soakMisses([minute(1)])).toEqual(["1 minutes are too few for a slope"]);
});

test("the slope is the median of those between all pairs", () => {
  expect(
    slopeOf([
      [1, 1],
      [2, 2],
      [3, 100],
      [4, 4],
    ]),
  ).toBe(1);
});
