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
  const digits = BigInt(whole + fraction);
  return { digits: sign === "-" ? -digits : digits, exponent: Number(power) - fraction.length };
}

export const product = (one: Decimal, other: Decimal): Decimal => ({
  digits: one.digits * other.digits,
  exponent: one.exponent + other.exponent,
});

export const ZERO: Decimal = Object.freeze({ digits: 0n, exponent: 0 });

export const sum = (one: Decimal, other: Decimal): Decimal => {
  const exponent = Math.min(one.exponent, other.exponent);
  return { digits: integerAt(one, exponent) + integerAt(other, exponent), exponent };
};

export const negated = ({ digits, exponent }: Decimal): Decimal => ({ digits: -digits, exponent });
export const difference = (one: Decimal, other: Decimal): Decimal => sum(one, negated(other));
export const magnitude = (one: Decimal): Decimal => (one.digits < 0n ? negated(one) : one);
export const wholeNumber = (digits: bigint): Decimal => ({ digits, exponent: 0 });

/** As people write it, without trailing zeros and without an exponent. */
export function formatDecimal({ digits, exponent }: Decimal): string {
  const sign = digits < 0n ? "-" : "";
  const text = (digits < 0n ? -digits : digits).toString();
  if (exponent >= 0) return `${sign}${digits === 0n ? "0" : text + "0".repeat(exponent)}`;
  const padded = text.padStart(1 - exponent, "0");
  const fraction = padded.slice(exponent).replace(/0+$/, "");
  return `${sign}${padded.slice(0, exponent)}${fraction === "" ? "" : `.${fraction}`}`;
}

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
