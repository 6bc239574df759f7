import fc from "fast-check";
import { expect, test } from "vitest";
import { compareDecimals, parseDecimal, product, roundedQuotient } from "./decimal.ts";

const ONE = { digits: 1n, exponent: 0 };
const nano = { digits: 1n, exponent: 9 };
const read = (text: string) => {
  const decimal = parseDecimal(text);
  if (decimal === null) throw new Error(text);
  return decimal;
};

test.each([
  ["2.5", 2_500_000_000n],
  ["1.25e-06", 1_250n],
  ["1.25E-6", 1_250n],
  ["12e+2", 1_200_000_000_000n],
  ["0.0", 0n],
  // A float makes 1.5000999999999999 of the first and 9007199254740992 of the second.
  ["1.5000999999999998", 1_500_100_000n],
  ["9007199.254740993", 9_007_199_254_740_993n],
  ["0.0000000004", 0n],
  ["0.0000000005", 1n],
  ["0.00000000049999999999999999999", 0n],
])("%s is read to the last digit and rounded once, half up", (text, expected) => {
  expect(roundedQuotient(product(read(text), nano), ONE)).toBe(expected);
});

test.each(["", "-", ".5", "5.", "1e", "NaN", "Infinity", "0x10", " 1", "1 ", "1_000", "1e100", `1${"0".repeat(64)}`])(
  "%j is no number, or one that nobody means",
  (text) => {
    expect(parseDecimal(text)).toBeNull();
  },
);

test("a quotient is the nearest whole number, and of two equally near the larger", () => {
  const natural = fc.bigInt({ min: 0n, max: 10n ** 30n });
  const exponent = fc.integer({ min: -20, max: 20 });

  fc.assert(
    fc.property(natural, exponent, natural, exponent, (digits, power, divisorDigits, divisorPower) => {
      const [dividend, divisor] = [
        { digits, exponent: power },
        { digits: divisorDigits + 1n, exponent: divisorPower },
      ];
      const quotient = roundedQuotient(dividend, divisor);
      const twice = product(dividend, read("2"));
      const bound = (whole: bigint) => product({ digits: whole, exponent: 0 }, divisor);

      expect(compareDecimals(bound(2n * quotient - 1n), twice)).toBeLessThanOrEqual(0);
      expect(compareDecimals(bound(2n * quotient + 1n), twice)).toBeGreaterThan(0);
    }),
  );
});

test("numbers compare by value, however they are written", () => {
  expect(compareDecimals(read("1e-6"), read("0.000001"))).toBe(0);
  expect(compareDecimals(read("2e-6"), read("0.000001"))).toBe(1);
  expect(compareDecimals(read("-1"), read("0"))).toBe(-1);
});
