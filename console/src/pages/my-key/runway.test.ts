import { expect, test } from "vitest";
import { runwayOf, showDays } from "./runway.ts";

const DAY_MS = 86_400_000;
const week = { fromMs: 0, toMs: 7 * DAY_MS, renewsAtMs: null };

test("the runway is what is available over the average of the span", () => {
  expect(runwayOf({ ...week, available: 100n, used: 70n })).toEqual({ kind: "lasts", days: 10, perDay: 10n });
});

test("without use there is no runway, and with nothing left it is over", () => {
  expect(runwayOf({ ...week, available: 100n, used: 0n })).toEqual({ kind: "unused" });
  expect(runwayOf({ ...week, available: 0n, used: 70n })).toEqual({ kind: "empty" });
});

test("a span shorter than a day counts as one", () => {
  expect(runwayOf({ available: 100n, used: 50n, fromMs: 0, toMs: 1000, renewsAtMs: null })).toEqual({
    kind: "lasts",
    days: 2,
    perDay: 50n,
  });
});

test("what renews before it is used up lasts", () => {
  expect(runwayOf({ ...week, available: 100n, used: 70n, renewsAtMs: 10 * DAY_MS })).toEqual({
    kind: "renews",
    perDay: 10n,
  });
  expect(runwayOf({ ...week, available: 10n, used: 70n, renewsAtMs: 10 * DAY_MS }).kind).toBe("lasts");
});

test("days are rounded down", () => {
  expect([0.4, 1.9, 12.99, 5000].map(showDays)).toEqual(["less than a day", "1 day", "12 days", "more than 999 days"]);
});
