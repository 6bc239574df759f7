import { expect, test } from "vitest";
import type { PeriodAhead } from "../../../operator/storage.ts";
import { periodListing, periodsView } from "./period-text.ts";

const LIMIT: PeriodAhead = {
  counter: 7,
  keyId: null,
  accountId: "a",
  holder: "Acme/Search",
  unit: "credit",
  period: "month",
  amount: 5_000_000_000n,
  aheadAt: new Date("2026-12-01T00:00:00.000Z"),
  beginsAt: new Date("2026-11-01T00:00:00.000Z"),
  endsAt: new Date("2026-12-01T00:00:00.000Z"),
  used: 1_500_000_000n,
  posted: 3_500_000_000n,
  result: "ahead",
};

test("a limit that is ahead is listed with both periods and the command that brings it back", () => {
  const text = periodListing([LIMIT]);

  expect(text).toContain("Acme/Search");
  expect(text).toMatch(/is in the period of +2026-12-01T00:00:00\.000Z/);
  expect(text).toMatch(/would go back to +2026-11-01T00:00:00\.000Z/);
  expect(text).toMatch(/available +3\.5 credits/);
  expect(text).toContain("tollgate ledger periods --apply");
});

test("limits whose requests are running are counted, and the command is to be run again", () => {
  expect(
    periodListing([
      { ...LIMIT, result: "brought_back" },
      { ...LIMIT, result: "held" },
    ]),
  ).toMatch(/1 of 2 can't be brought back yet/);
});

test("with every limit in the current period there is nothing to do", () => {
  expect(periodListing([])).toMatch(/Nothing to do/);
  expect(periodListing([{ ...LIMIT, result: "brought_back" }])).toContain("tollgate ledger verify");
});

test("JSON has amounts as text in the unit of the limit", () => {
  expect(periodsView([LIMIT])).toMatchObject({
    limits: [{ limit: 7, unit: "credit", amount: "5", used: "1.5", available: "3.5", result: "ahead" }],
  });
});
