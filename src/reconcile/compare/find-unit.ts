import { compareDecimals, type Decimal, product, wholeNumber } from "../../core/money/decimal.ts";
import type { Pair } from "./pair-up.ts";

const POWERS = [3, 6, -3, -6] as const;
const isZero = ({ digits }: Decimal): boolean => digits === 0n;

/** The power of ten by which every figure of a bill is off: it counts in another unit. 0: none. */
export function findUnit(pairs: readonly Pair[]): number {
  const figures = pairs
    .flatMap((pair) => [...pair.figures.values()])
    .filter(({ journal, bill }) => !isZero(journal) && !isZero(bill));
  if (figures.length === 0) return 0;
  return POWERS.find((power) => figures.every(({ journal, bill }) => isNear(journal, shifted(bill, power)))) ?? 0;
}

export const shifted = ({ digits, exponent }: Decimal, power: number): Decimal => ({
  digits,
  exponent: exponent + power,
});

/** Within a factor of three: the figures may differ for another reason as well. */
const isNear = (one: Decimal, other: Decimal): boolean =>
  compareDecimals(product(one, wholeNumber(3n)), other) > 0 &&
  compareDecimals(product(other, wholeNumber(3n)), one) > 0;

export function inUnit(pairs: readonly Pair[], power: number): void {
  for (const { figures } of pairs) {
    for (const figure of figures.values()) {
      figure.bill = shifted(figure.bill, power);
      figure.cut = shifted(figure.cut, power);
    }
  }
}
