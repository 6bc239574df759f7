import { expect, test } from "vitest";
import { matchesGlob } from "./matches-glob.ts";
import { processorMs } from "../../../tests/support/processor-time.ts";

test.each([
  ["gpt-4o", "*", true],
  ["gpt-4o", "gpt-4o", true],
  ["gpt-4o-mini", "gpt-4o", false],
  ["gpt-4o-mini", "gpt-*-mini", true],
  ["openrouter/a/b", "openrouter/*", true],
  ["gpt-4o", "gpt-?o", true],
  ["gpt-4oo", "gpt-?o", false],
  ["a.c", "a.c", true],
  ["abc", "a.c", false],
  ["", "*", true],
  ["", "?", false],
  ["abcabd", "*ab?", true],
])("%j against %j: %s", (text, pattern, expected) => {
  expect(matchesGlob(text, pattern)).toBe(expected);
});

test("a pattern of many stars takes no time to speak of", () => {
  const match = (): boolean => matchesGlob("a".repeat(5_000), `${"a*".repeat(200)}b`);

  expect(match()).toBe(false);
  expect(processorMs(match)).toBeLessThan(1_000);
});
