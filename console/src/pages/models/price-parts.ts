import { otherwiseOf, TARIFF_PARTS, type TariffPart, titleOf, wordOf } from "../../../../src/core/money/price.ts";
import { ANY_REGION, PLAIN_TIER, type RateRow } from "../../../../src/core/money/rate-rows.ts";
import type { Tariff } from "../../api/generated/admin.ts";
import { readCredits } from "../../format/money.ts";
import { rowsOfPrice } from "./price-sizes.ts";

/** What a price of tokens is made of, in the words of the catalogue. Optional parts without a price cost what `instead` says. */
export const PRICE_PARTS = TARIFF_PARTS.map((part) => ({
  part: wordOf(part),
  name: titleOf(part),
  instead: otherwiseOf(part),
}));

export type PricePart = (typeof PRICE_PARTS)[number]["part"];

/** The price of each part and of each tool; null: it has none of its own. */
export type PriceRow = { id: string; name: string; per: string; before: bigint | null; after: bigint | null };

/** From so many tokens of input on, in a tier and a region, in the hours of the price or outside them; empty: what everybody is served. `sold`: whether the later price sells that. */
export type PriceSize = { where: string; fromInput: number; sold: boolean; rows: PriceRow[] };

/** Two prices side by side, by where they hold and part by part; parts that neither has are left out. */
export function priceSizes(before: Tariff | null, after: Tariff | null): PriceSize[] {
  const [old, next] = [rowsOfPrice(before), rowsOfPrice(after)];
  const places = new Set([...next, ...old].map(whereOf));
  return [...places]
    .toSorted((one, other) => one.length - other.length)
    .flatMap((where) =>
      sizesIn(
        where,
        [old, next].map((rows) => rows.filter((row) => whereOf(row) === where)),
      ),
    );
}

/** In the words of the page. */
const whereOf = ({ tier, region, peak }: RateRow): string =>
  [
    tier === PLAIN_TIER ? null : `Tier ${tier}`,
    region === ANY_REGION ? null : `region ${region}`,
    peak ? "in its hours" : null,
  ]
    .filter((word) => word !== null)
    .join(", ");

function sizesIn(where: string, [old = [], next = []]: readonly (readonly RateRow[])[]): PriceSize[] {
  const starts = [...new Set([...old, ...next].flatMap((row) => [row.fromInput, row.toInput + 1]))];
  return starts
    .filter((start) => start <= MOST_INPUT)
    .toSorted((one, other) => one - other)
    .map((fromInput) => {
      const [oldRow, nextRow] = [rowAt(old, fromInput), rowAt(next, fromInput)];
      return { where, fromInput, sold: nextRow !== null, rows: rowsBetween(oldRow, nextRow) };
    });
}

/** More than any window. */
const MOST_INPUT = 1_000_000_000;

const rowAt = (rows: readonly RateRow[], input: number): RateRow | null =>
  rows.find(({ fromInput, toInput }) => fromInput <= input && input <= toInput) ?? null;

function rowsBetween(before: RateRow | null, after: RateRow | null): PriceRow[] {
  const ownOf = (row: RateRow | null, part: TariffPart) => (row?.own.has(part) ? row.nano[part] : null);
  const parts = TARIFF_PARTS.map((part) => ({
    id: wordOf(part),
    name: titleOf(part),
    per: "per million tokens",
    before: ownOf(before, part),
    after: ownOf(after, part),
  }));
  const tools = [...new Set([...Object.keys(before?.toolCallNano ?? {}), ...Object.keys(after?.toolCallNano ?? {})])];
  return [
    ...parts,
    ...tools.map((tool) => ({
      id: `tools.${tool}`,
      name: tool,
      per: "per call",
      before: before?.toolCallNano[tool] ?? null,
      after: after?.toolCallNano[tool] ?? null,
    })),
  ].filter((row) => row.before !== null || row.after !== null);
}

const MILLION = 1_000_000n;

/** What so many tokens cost, rounded half up like a charge. Both parts must have a price. */
export function costOf(price: Pick<Tariff, "input" | "output">, tokens: { input: bigint; output: bigint }): bigint {
  const millionths = readCredits(price.input) * tokens.input + readCredits(price.output) * tokens.output;
  return (millionths + MILLION / 2n) / MILLION;
}
