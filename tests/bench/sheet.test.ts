import { expect, test } from "vitest";
import { cellIn, type Column, type Measured, sheetOf } from "./sheet.ts";
import { tableOf } from "./table.ts";

const RATE: Column = { id: "rate", title: "requests", unit: "1/s", better: "higher", compared: "yes" };
const CPU: Column = { id: "cpu", title: "processor time", unit: "µs", better: "lower", compared: "yes" };

const slice = (subject: string, round: number, rate: number, invalid: string | null = null): Measured => ({
  subject,
  round,
  values: { rate, cpu: 1_000_000 / rate },
  invalid,
});

const sheet = (slices: Measured[]) => sheetOf({ id: "plain", title: "Plain", columns: [RATE, CPU], slices });

test("ratios are taken round by round, so that a slow hour of the machine cancels out", () => {
  const measured = sheet([
    slice("bare", 1, 1e3),
    slice("bare", 2, 500),
    slice("bare", 3, 2e3),
    slice("tollgate", 1, 400),
    slice("tollgate", 2, 200),
    slice("tollgate", 3, 800),
  ]);

  expect(cellIn(measured, "tollgate", "rate")).toMatchObject({
    value: { q1: 300, median: 400, q3: 600 },
    ofBase: { q1: 0.4, median: 0.4, q3: 0.4 },
    ofBefore: null,
  });
});

test("a ratio is a share of the other's performance, whichever way the column goes", () => {
  const measured = sheet([slice("bare", 1, 1000), slice("tollgate", 1, 250), slice("before", 1, 500)]);

  expect(cellIn(measured, "tollgate", "cpu")?.ofBase?.median).toBeCloseTo(0.25);
  expect(cellIn(measured, "tollgate", "cpu")?.ofBefore?.median).toBeCloseTo(0.5);
  expect(cellIn(measured, "tollgate", "rate")?.ofBefore?.median).toBeCloseTo(0.5);
  expect(cellIn(measured, "bare", "rate")?.ofBase).toBeNull();
});

test("a slice that does not count changes no median and no ratio, and is counted", () => {
  const measured = sheet([
    slice("bare", 1, 1e3),
    slice("bare", 2, 10, "core idle"),
    slice("bare", 3, 1e3),
    slice("tollgate", 1, 400),
    slice("tollgate", 2, 400),
    slice("tollgate", 3, 600),
  ]);

  expect(cellIn(measured, "bare", "rate")?.value?.median).toBe(1000);
  expect(cellIn(measured, "tollgate", "rate")?.ofBase?.median).toBe(0.5);
  expect(measured.rows[0]).toMatchObject({ valid: 2, total: 3, firstInvalid: "core idle" });
});

test("a subject without a slice that counts is shown and marked", () => {
  const measured = sheet([slice("bare", 1, 10, "core idle"), slice("tollgate", 1, 20)]);

  expect(cellIn(measured, "bare", "rate")?.value?.median).toBe(10);
  expect(tableOf(measured)).toContain("0/1 INVALID");
  expect(tableOf(measured)).toContain("- bare, 1 of 1 INVALID: core idle");
});

test("a table has a column for ratios to another version only when there is one", () => {
  const without = tableOf(sheet([slice("bare", 1, 1000), slice("tollgate", 1, 400)]));
  const beside = tableOf(sheet([slice("bare", 1, 1000), slice("tollgate", 1, 400), slice("before", 1, 400)]));

  expect(without).not.toContain("of before");
  expect(without).toContain("**0.40** [0.40–0.40]");
  expect(beside).toContain("of before");
});
