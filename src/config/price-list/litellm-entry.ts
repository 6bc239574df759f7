import { compareDecimals, type Decimal, parseDecimal, roundedQuotient } from "../../core/money/decimal.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { isNumberText } from "./read-exact-json.ts";

/** One model of the file, by the file's own names of fields. */
export type LitellmEntry = Readonly<Record<string, unknown>>;

/** A number in the file that cannot be right. */
export class AbsurdNumber extends Error {
  override readonly name = "AbsurdNumber";
  readonly field: string;

  constructor(field: string, problem: string) {
    super(problem);
    this.field = field;
  }
}

/** The dearest model ever sold asked 600 dollars for a million tokens; more is a price per thousand that was taken for one per token. */
const MOST_USD_PER_TOKEN: Decimal = { digits: 1n, exponent: -3 };
const MOST_USD_PER_CALL: Decimal = { digits: 10n, exponent: 0 };
const MOST_TOKENS = 100_000_000n;
const ZERO: Decimal = { digits: 0n, exponent: 0 };
const ONE: Decimal = { digits: 1n, exponent: 0 };

export const isZero = ({ digits }: Decimal): boolean => digits === 0n;
export const isDearer = (one: Decimal, other: Decimal): boolean => compareDecimals(one, other) > 0;

/** A price per token; null when the file has none. */
export const tokenPrice = (entry: LitellmEntry, field: string): Decimal | null =>
  priceUpTo(entry, field, MOST_USD_PER_TOKEN);

export const callPrice = (entry: LitellmEntry, field: string): Decimal | null =>
  priceUpTo(entry, field, MOST_USD_PER_CALL);

/** A count of tokens; null when the file has none. Some are written 256000.0. */
export function tokenLimit(entry: LitellmEntry, field: string): number | null {
  const given = numberIn(entry, field);
  if (given === null) return null;
  const count = roundedQuotient(given.digits < 0n ? ZERO : given, ONE);
  const isWhole = compareDecimals({ digits: count, exponent: 0 }, given) === 0;
  if (isWhole && count >= 1n && count <= MOST_TOKENS) return Number(count);
  throw new AbsurdNumber(field, `${written(entry[field])} is no limit of tokens`);
}

/** A text; empty when the file has none. */
export const textIn = (entry: LitellmEntry, field: string): string =>
  typeof entry[field] === "string" ? entry[field] : "";

export const times = ({ digits, exponent }: Decimal, factor: bigint): Decimal => ({
  digits: digits * factor,
  exponent,
});

const TIERED = "tiered_pricing";

/** The prices by length of input that some models have in place of a price: from 0 on, each where the one before it ends. */
export function tieredPrices(entry: LitellmEntry): { above: number; prices: LitellmEntry }[] {
  const tiers = entry[TIERED];
  if (!Array.isArray(tiers)) return [];
  let end = 0;
  return tiers.map((tier: unknown) => {
    const { range, ...prices } = isObject(tier) ? tier : {};
    const [from, to] = Array.isArray(range) ? (range as unknown[]) : [];
    const above = isNumberText(from) ? Number(from.numberText) : -1;
    if (above !== end) throw new AbsurdNumber(TIERED, "is no list of ranges that follow each other");
    end = tokenLimit({ range: to }, "range") ?? Infinity;
    return { above, prices };
  });
}

function priceUpTo(entry: LitellmEntry, field: string, most: Decimal): Decimal | null {
  const price = numberIn(entry, field);
  if (price === null) return null;
  if (compareDecimals(price, ZERO) < 0) throw new AbsurdNumber(field, `${written(entry[field])} is below zero`);
  if (isDearer(price, most)) throw new AbsurdNumber(field, `${written(entry[field])} dollars is out of all proportion`);
  return price;
}

/** Whatever it counts; null when the file has none. */
export function numberIn(entry: LitellmEntry, field: string): Decimal | null {
  const value = entry[field];
  if (value === undefined || value === null) return null;
  const number = isNumberText(value) ? parseDecimal(value.numberText) : null;
  if (number === null) throw new AbsurdNumber(field, `${written(value)} is no number`);
  return number;
}

const SHOWN_CHARACTERS = 40;

const written = (value: unknown): string =>
  (isNumberText(value) ? value.numberText : (JSON.stringify(value) ?? "")).slice(0, SHOWN_CHARACTERS);
