import { rowOf } from "./pay-rate.ts";
import { type Tariff, TARIFF_PARTS, tokensOf, toolNano, wordOf } from "./price.ts";
import type { Usage } from "./usage.ts";

/** One line of a price: so many at so much each, which is `millionths` of the smallest unit. */
export type PriceLine = {
  /** A part of the tariff by its word, or `tools.` and a tool's name. */
  what: string;
  count: bigint;
  /** In the smallest unit: per million tokens, or for one call of a tool. */
  unitPrice: bigint;
  millionths: bigint;
};

const MILLION = 1_000_000n;

/** What a usage costs, line by line, without lines of nothing. `chargeOf` is their sum, rounded half up. */
export function priceLines(tariff: Tariff, usage: Usage, asked?: string, peak?: boolean): PriceLine[] {
  const row = rowOf(tariff, usage, asked, peak);
  return [
    ...TARIFF_PARTS.map((part) => {
      const [count, unitPrice] = [tokensOf(part, usage), row.nano[part]];
      return { what: wordOf(part), count, unitPrice, millionths: count * unitPrice };
    }),
    ...Object.entries(usage.toolCalls).map(([name, calls]) => {
      const [count, unitPrice] = [BigInt(calls), toolNano(row, name) ?? 0n];
      return { what: `tools.${name}`, count, unitPrice, millionths: count * unitPrice * MILLION };
    }),
  ].filter(({ count }) => count > 0n);
}

/** The same where a token costs a token. */
export const tokenLines = ({ inputTokens, outputTokens }: Usage): PriceLine[] =>
  [
    { what: "input", count: BigInt(inputTokens) },
    { what: "output", count: BigInt(outputTokens) },
  ]
    .filter(({ count }) => count > 0n)
    .map((line) => ({ ...line, unitPrice: MILLION, millionths: line.count * MILLION }));

/** The lines added up and rounded once, half up. */
export const roundedSum = (lines: readonly PriceLine[]): bigint =>
  (lines.reduce((sum, { millionths }) => sum + millionths, 0n) + MILLION / 2n) / MILLION;
