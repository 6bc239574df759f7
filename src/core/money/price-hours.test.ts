import { expect, test } from "vitest";
import { readHours } from "./price-hours.ts";

const at = (text: string): number => Date.parse(text);

test("hours hold from their first minute to before their last, on the days that are named", () => {
  const peak = readHours("mon-fri 01:00-04:00 06:00-10:00");
  const holds = (text: string) => peak?.(at(text));

  expect(holds("2026-11-18T02:00:00Z")).toBe(true);
  expect(holds("2026-11-18T01:00:00Z")).toBe(true);
  expect(holds("2026-11-18T00:59:59.999Z")).toBe(false);
  expect(holds("2026-11-18T03:59:59.999Z")).toBe(true);
  expect(holds("2026-11-18T04:00:00Z")).toBe(false);
  expect(holds("2026-11-18T06:00:00Z")).toBe(true);
  expect(holds("2026-11-21T02:00:00Z")).toBe(false);
});

test("days may go round the end of the week, and holidays have no hours", () => {
  const away = readHours("sat-mon 00:00-24:00 except 2026-11-22 2026-11-30");
  const days = [20, 21, 22, 23, 24, 28, 29, 30].map((day) => away?.(at(`2026-11-${day}T12:00:00Z`)));

  expect(days).toEqual([false, true, false, true, false, true, true, false]);
  expect(readHours("22:30-24:00")?.(at("2026-11-18T23:59:59Z"))).toBe(true);
  expect(readHours("wed 00:00-24:00")?.(at("2026-11-18T00:00:00Z"))).toBe(true);
});

test.each([
  "",
  "mon-fri",
  "mon 4:00-5:00",
  "mon 04:00-04:00",
  "mon 22:00-02:00",
  "24:00-25:00",
  "00:00-24:01",
  "10:60-11:00",
  "day 01:00-02:00",
  "mon,tue 01:00-02:00",
  "01:00-02:00 except",
  "01:00-02:00 except 2026-02-30",
  "01:00-02:00  03:00-04:00",
  " 01:00-02:00",
  `01:00-02:00 except ${"2026-01-01 ".repeat(200).trim()}`,
])("%j is no hours", (text) => {
  expect(readHours(text)).toBeNull();
});
