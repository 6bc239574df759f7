/** A decimal number, exactly: `digits` times ten to the power of `exponent`. */
export type Decimal = { digits: bigint; exponent: number };

const MAX_CHARACTERS = 64;
const MAX_EXPONENT = 99;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Reads a number as JSON or people write it, `2.5` or `1.25e-06`, without a float in between; null when it is none, or absurdly long. */
export function parseDecimal(text: string): Decimal | null {
  const match = text.length > MAX_CHARACTERS ? null : NUMBER.exec(text);
  if (!match) return null;
  const [, sign = "", whole = "", fraction = "", power = "0"] = match;
  if (Math.abs(Number(power)) > MAX_EXPONENT) return null;
  const magnitude = BigInt(whole + fraction);
  return { digits: sign === "-" ? -magnitude : magnitude, exponent: Number(power) - fraction.length };
}

export const product = (one: Decimal, other: Decimal): Decimal => ({
  digits: one.digits * other.digits,
  exponent: one.exponent + other.exponent,
});

/** Negative, zero or positive, as `one` is below, at or above `other`. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const lowest = Math.min(one.exponent, other.exponent);
  const apart = integerAt(one, lowest) - integerAt(other, lowest);
  return apart === 0n ? 0 : apart < 0n ? -1 : 1;
}

/** The quotient as a whole number, rounded half up. Neither may be negative, nor the divisor zero. */
export function roundedQuotient(dividend: Decimal, divisor: Decimal): bigint {
  const lowest = Math.min(dividend.exponent, divisor.exponent);
  const [numerator, denominator] = [integerAt(dividend, lowest), integerAt(divisor, lowest)];
  return (2n * numerator + denominator) / (2n * denominator);
}

/** How often ten to the power of `exponent` goes into the number; `exponent` is not above its own. */
const integerAt = ({ digits, exponent: own }: Decimal, exponent: number): bigint =>
  digits * 10n ** BigInt(own - exponent);
