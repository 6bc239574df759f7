import { expect, test } from "vitest";
import { partitionListing, repairText } from "./partition-text.ts";

const day = { day: "2026-11-18", charges: 12 };

test("a day left in the default partition is listed with the command that moves it", () => {
  const days = [{ ...day, day: "2026-11-17", place: "own" } as const, { ...day, place: "default" } as const];

  const text = partitionListing({ days, defaultCharges: 12 });

  expect(text).toContain("12 charges are in the default partition.");
  expect(text).toContain("tollgate ledger partitions --repair 2026-11-18");
});

test("with nothing in the default partition there is nothing to do", () => {
  expect(partitionListing({ days: [], defaultCharges: 0 })).toMatch(/default partition is empty/);
});

test("a move says how many rows it moved and how long requests waited", () => {
  expect(repairText({ ...day, result: "moved", lockedMs: 70 })).toMatch(/^Moved 12 charges of .* waited 70 ms/);
  expect(repairText({ ...day, result: "present", lockedMs: 0 })).toMatch(/Nothing to do/);
});
