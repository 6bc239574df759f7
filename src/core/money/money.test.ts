import { expect, test } from "vitest";
import { formatCredits, parseCredits } from "./money.ts";

test("decimals are read exactly, to the nano-credit [MON-1]", () => {
  expect(parseCredits("0.1")).toBe(100_000_000n);
  expect(parseCredits("25")).toBe(25_000_000_000n);
  expect(parseCredits("123456789012.123456789")).toBe(123_456_789_012_123_456_789n);
});

test("what is not a decimal, or is finer than a nano-credit, is refused", () => {
  for (const text of ["", "-1", "1e3", "0.1234567891", "1.", ".5", "NaN", "1 "]) expect(parseCredits(text)).toBeNull();
});

test("writing undoes reading [MON-4]", () => {
  for (const text of ["0", "0.000000001", "2.5", "19.99", "1000000"])
    expect(formatCredits(parseCredits(text) ?? -1n)).toBe(text);
  expect(formatCredits(-1_500_000_000n)).toBe("-1.5");
});
