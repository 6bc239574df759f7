import { madeAtMs } from "../made-at.ts";
import { compareDecimals, type Decimal, product, wholeNumber } from "../money/decimal.ts";
import { callNano, type Tariff, TARIFF_PARTS, wordOf } from "../money/price.ts";
import { isPeak, type RateRow, rowFor, rowsOf, type Served } from "../money/rate-rows.ts";
import { INPUT_PARTS } from "./kinds.ts";
import type { Costs } from "./name-map.ts";

/** A nano-dollar per million tokens, for one token. */
const PER_TOKEN = -15;
const PER_CALL = -9;
const TOOLS = "tools.";

export const inputOf = (counts: Readonly<Record<string, number>>): number =>
  Object.entries(counts).reduce((all, [part, count]) => (INPUT_PARTS.has(part) ? all + count : all), 0);

export const costOf = (costs: Costs | null, provider: string, model: string | null): Tariff | null =>
  model === null ? null : (costs?.get(provider)?.get(model) ?? null);

/** What was used: tokens by part, which have none in common, and calls by `tools.` and the tool's name. `input`: all of it, of one request. */
export type Counted = Served & { counts: Readonly<Record<string, number | bigint>>; input: number };

/** What so much costs the operator, in dollars by part; text: the part for which the cost has no price. */
export function priceCounts({ counts, input, ...served }: Counted, tariff: Tariff): Record<string, Decimal> | string {
  const rates = rowFor(rowsOf(tariff), input, served);
  const priced: Record<string, Decimal> = {};
  for (const [part, count] of Object.entries(counts)) {
    const rate = rateOf(rates, part, (name) => `${TOOLS}${name}` in counts);
    if (rate === null) return part;
    priced[part] = product(wholeNumber(BigInt(count)), rate);
  }
  return priced;
}

/** The same of one charge; null: the cost has no price for one of its parts. */
export function priceRow(
  { counts, tier, region, holdId }: Served & { counts: Readonly<Record<string, number>>; holdId: string },
  tariff: Tariff,
): Record<string, Decimal> | null {
  const peak = isPeak(tariff, madeAtMs(holdId));
  const priced = priceCounts({ counts, input: inputOf(counts), tier, region, peak }, tariff);
  return typeof priced === "string" ? null : priced;
}

/** The least and the most that one of a part can cost, whatever the size of its request and the hour. */
export function rateSpan(
  tariff: Tariff,
  { part, tier, region }: { part: string; tier: string; region: string },
): [Decimal, Decimal] | null {
  const rates = [false, true].flatMap((peak) =>
    [0, Number.MAX_SAFE_INTEGER].map((input) =>
      rateOf(rowFor(rowsOf(tariff), input, { tier, region, peak }), part, () => true),
    ),
  );
  const [first, ...others] = rates.filter((rate) => rate !== null);
  if (rates[0] === null || first === undefined) return null;
  return [
    others.reduce((least, one) => (compareDecimals(one, least) < 0 ? one : least), first),
    others.reduce((most, one) => (compareDecimals(one, most) > 0 ? one : most), first),
  ];
}

function rateOf(rates: RateRow, part: string, isCounted: (name: string) => boolean): Decimal | null {
  if (part.startsWith(TOOLS)) {
    const nano = callNano(rates, part.slice(TOOLS.length), isCounted);
    return nano === null ? null : { digits: nano, exponent: PER_CALL };
  }
  const name = TARIFF_PARTS.find((one) => wordOf(one) === part);
  return name === undefined ? null : { digits: rates.nano[name], exponent: PER_TOKEN };
}
