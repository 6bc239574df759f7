import { expect, test } from "vitest";
import { coolDownOf } from "./retry-after.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const coolDown = (status: number, headers: Record<string, string | string[]>): number | null =>
  coolDownOf({ status, headers, nowMs: NOW_MS });

test.each<[string, Record<string, string | string[]>, number | null]>([
  ["whole seconds", { "retry-after": "7" }, 7_000],
  ["parts of a second", { "retry-after": "0.5" }, 500],
  ["milliseconds, which are exact and so come first", { "retry-after-ms": "1500", "retry-after": "2" }, 1_500],
  ["a date", { "retry-after": new Date(NOW_MS + 9_000).toUTCString() }, 9_000],
  ["a date that has passed", { "retry-after": new Date(NOW_MS - 9_000).toUTCString() }, 0],
  ["an hour, of which a minute is granted", { "retry-after": "3600" }, 60_000],
  ["a number beyond reason", { "retry-after": "9".repeat(400) }, 1_000],
  ["a negative number", { "retry-after": "-5" }, 0],
  ["nonsense", { "retry-after": "soon" }, 1_000],
  ["two values", { "retry-after": ["1", "9"] }, 1_000],
  ["nothing", {}, 1_000],
])("a provider over its capacity that asks for %s is left alone for a bounded time", (_, headers, expected) => {
  const asked = coolDown(429, headers);

  expect(asked).not.toBeNull();
  expect(asked).toBeGreaterThanOrEqual(0);
  expect(asked).toBeLessThanOrEqual(60_000);
  if (headers["retry-after"] !== "-5") expect(asked).toBe(expected);
});

test("a failure is left alone only when it asks for that, and a refusal of the request never", () => {
  expect(coolDown(503, { "retry-after": "3" })).toBe(3_000);
  expect(coolDown(500, {})).toBeNull();
  expect(coolDown(400, { "retry-after": "3" })).toBeNull();
});
