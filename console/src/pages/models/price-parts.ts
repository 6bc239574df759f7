import { otherwiseOf, TARIFF_PARTS, titleOf, wordOf } from "../../../../src/core/money/price.ts";
import type { Tariff } from "../../api/generated/admin.ts";
import { readCredits } from "../../format/money.ts";

/** What a price of tokens is made of, in the words of the catalogue. Optional parts without a price cost what `instead` says. */
export const PRICE_PARTS = TARIFF_PARTS.map((part) => ({
  part: wordOf(part),
  name: titleOf(part),
  instead: otherwiseOf(part),
}));

export type PricePart = (typeof PRICE_PARTS)[number]["part"];

/** The price of each part and of each tool; null: it has none of its own. */
export type PriceRow = { id: string; name: string; per: string; before: bigint | null; after: bigint | null };

const nano = (text: string | null | undefined): bigint | null => (text == null ? null : readCredits(text));

/** Two prices side by side, part by part; parts that neither has are left out. */
export function priceRows(before: Tariff | null, after: Tariff | null): PriceRow[] {
  const parts = PRICE_PARTS.map(({ part, name }) => ({
    id: part,
    name,
    per: "per million tokens",
    before: nano(before?.[part]),
    after: nano(after?.[part]),
  }));
  const tools = [...new Set([...Object.keys(before?.tools ?? {}), ...Object.keys(after?.tools ?? {})])].map((tool) => ({
    id: `tools.${tool}`,
    name: tool,
    per: "per call",
    before: nano(before?.tools[tool]),
    after: nano(after?.tools[tool]),
  }));
  return [...parts, ...tools].filter((row) => row.before !== null || row.after !== null);
}

const MILLION = 1_000_000n;

/** What so many tokens cost, rounded half up like a charge. Both parts must have a price. */
export function costOf(price: Pick<Tariff, "input" | "output">, tokens: { input: bigint; output: bigint }): bigint {
  const millionths = readCredits(price.input) * tokens.input + readCredits(price.output) * tokens.output;
  return (millionths + MILLION / 2n) / MILLION;
}
