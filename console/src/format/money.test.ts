import { expect, test } from "vitest";
import { exactCredits, readCredits, shortCount, shortCredits, showCredits } from "./money.ts";

test.each([
  ["0", "0.00", "0.00", "0"],
  ["0.000000001", "0.000000001", "0.000000001", "0.000000001"],
  ["0.004213", "0.004213", "0.00421", "0.00421"],
  ["0.25", "0.25", "0.25", "0.25"],
  ["0.9999", "0.9999", "1.00", "1"],
  ["9.74", "9.74", "9.74", "9.74"],
  ["1204.501", "1,204.501", "1,204.50", "1.2k"],
  ["98765432.123456789", "98,765,432.123456789", "98,765,432.12", "98.7M"],
  ["-3.25", "-3.25", "-3.25", "-3.25"],
  ["-0.000041", "-0.000041", "-0.000041", "-0.000041"],
])("%s credits are %s exactly, %s in a column and %s on an axis", (text, exact, shown, short) => {
  const nano = readCredits(text);

  expect([exactCredits(nano), showCredits(nano), shortCredits(nano)]).toEqual([exact, shown, short]);
});

test("an amount keeps every digit that a float would lose", () => {
  expect(exactCredits(readCredits("9007199254740993.000000001"))).toBe("9,007,199,254,740,993.000000001");
});

test.each(["", "1e3", "0x1", "1,5", "NaN", " 1"])("%j is not an amount", (text) => {
  expect(() => readCredits(text)).toThrow("not an amount");
});

test("a short count has three digits and is never rounded up", () => {
  expect([999n, 1_000n, 12_849n, 999_999n, 35_102_000n, -1_500n].map(shortCount)).toEqual([
    "999",
    "1k",
    "12.8k",
    "999k",
    "35.1M",
    "-1.5k",
  ]);
});
