import { type Decimal, formatDecimal, magnitude, parseDecimal, roundedQuotient } from "../money/decimal.ts";

const PLACES = -6;
const ONE: Decimal = { digits: 1n, exponent: 0 };

/** A decimal as people read money: at most six places, half up. What is more than nothing is never shown as nothing. */
export function usdText(text: string): string {
  const exact = parseDecimal(text);
  if (exact === null) return text;
  const digits = roundedQuotient(magnitude(exact), { ...ONE, exponent: PLACES });
  if (digits === 0n && exact.digits !== 0n) return exact.digits < 0n ? "> -0.000001" : "< 0.000001";
  return formatDecimal({ digits: exact.digits < 0n ? -digits : digits, exponent: PLACES });
}

/** What share one amount is of another, in per cent with one place; null: of nothing there is no share. */
export function shareOf(part: string, whole: string): string | null {
  const [margin, charged] = [parseDecimal(part), parseDecimal(whole)];
  if (margin === null || charged === null || charged.digits <= 0n) return null;
  const thousandths = roundedQuotient(magnitude(margin), { ...charged, exponent: charged.exponent - 3 });
  return `${formatDecimal({ digits: margin.digits < 0n ? -thousandths : thousandths, exponent: -1 })} %`;
}
