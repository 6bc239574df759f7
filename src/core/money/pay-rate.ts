import type { Amounts } from "./amount.ts";
import { formatDecimal } from "./decimal.ts";
import type { NanoCredits } from "./money.ts";
import {
  callNano,
  isDearer,
  isReserved,
  partTokens,
  sharesOf,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  tokensIn,
  toolNano,
  wordOf,
} from "./price.ts";
import {
  ANY_REGION,
  namesHours,
  PLAIN,
  PLAIN_TIER,
  type RateRow,
  rowFor,
  rowsOf,
  rowsWithin,
  type Served,
  servedAfter,
} from "./rate-rows.ts";
import type { Usage } from "./usage.ts";

const MILLION = 1_000_000n;
const HALF_MILLION = MILLION / 2n;

/** What is asked of a provider, as far as its price goes: input and output at most, in tokens. */
export type MostTokens = { input: number; output: number };

/** What a request is paid by: credit at a tariff, or tokens, of which each costs one. One row of it is what is charged. */
export type PayRate = {
  /** The most that so much can cost, in millionths, whatever becomes of the cache. */
  mostOf: (most: MostTokens) => bigint;
  /** The most output that so many millionths pay for beside so much input; null where output is free. Below 0: the input is not paid. */
  outputFor: (millionths: bigint, input: number) => bigint | null;
  /** Sizes of input up to this one cost alike, and the next step begins beyond it; null: there is none beyond so much. */
  stepBeyond: (input: number) => number | null;
  /** The most that one call of any of these tools costs, in millionths. */
  callOf: (tools: readonly string[]) => bigint;
  costOf: (usage: Usage) => bigint;
  /** What a usage is charged as. */
  servedAs: (usage: Usage) => Served;
  /** The regions that it prices apart. */
  regions: ReadonlySet<string>;
  /** The part of a usage that this rate gives away; see `unpricedUsage`. */
  unpricedIn: (usage: Usage) => string | null;
};

/** What a request is paid by in each unit that its chain counts in; null where it does not. */
export type PayRates = { credits: PayRate | null; tokens: PayRate | null };

/** What a usage costs in each of them. */
export const costIn = ({ credits, tokens }: PayRates, usage: Usage): Amounts => ({
  credits: credits === null ? null : credits.costOf(usage),
  tokens: tokens === null ? null : tokens.costOf(usage),
});

/**
 * The row of a price that a usage is charged at: what the answer says that it was served as, or less than was asked for. What is dearer
 * than what was asked for, or has no line in the price, is charged as what was asked for.
 */
export function rowOf(tariff: Tariff, usage: Usage, asked: string = PLAIN_TIER, peak = false): RateRow {
  const rows = rowsOf(tariff);
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) return only;
  const { inputTokens, served = {} } = usage;
  const region = served.region ?? ANY_REGION;
  const ordered = rowFor(rows, inputTokens, { tier: asked, region, peak });
  if (served.tier === undefined || served.tier === ordered.tier) return ordered;
  const got = rowFor(rows, inputTokens, { tier: served.tier, region, peak });
  if (got.tier !== served.tier) return ordered;
  return got.tier === PLAIN_TIER || millionthsAt(got, usage) < millionthsAt(ordered, usage) ? got : ordered;
}

/** What a usage costs. */
export const chargeOf = (tariff: Tariff, usage: Usage, asked: string = PLAIN_TIER, peak = false): NanoCredits =>
  (millionthsAt(rowOf(tariff, usage, asked, peak), usage) + HALF_MILLION) / MILLION;

/** The parts are added before the one rounding, half up, so that no part loses its fraction. */
function millionthsAt(row: RateRow, usage: Usage): bigint {
  let millionths = toolsNano(row, usage) * MILLION;
  for (const part of TARIFF_PARTS) {
    const tokens = tokensIn(part, usage);
    if (tokens > 0) millionths += BigInt(tokens) * row.nano[part];
  }
  return millionths;
}

/**
 * The first part of a usage that costs the house money and has no price of its own, named as the catalogue file names it;
 * null when all of it is paid for. A cache read without a price is charged as plain input, which is never less than its provider asks.
 */
export function unpricedUsage(tariff: Tariff, usage: Usage, asked: string = PLAIN_TIER, peak = false): string | null {
  const row = rowOf(tariff, usage, asked, peak);
  for (const part of TARIFF_PARTS) {
    if (isDearer(part) && !row.own.has(part) && partTokens(part, usage) > 0) return wordOf(part);
  }
  const { toolCalls } = usage;
  for (const name in toolCalls) {
    if ((toolCalls[name] ?? 0) > 0 && callNano(row, name, (other) => other in toolCalls) === null)
      return `tools.${name}`;
  }
  return null;
}

/**
 * What has no line in the price, or was not asked for and is dearer, in words: the provider may ask more for it than is charged. So may
 * it for work of another model than the one that was asked, which is charged as that one's. Null: the usage is charged as it was served.
 */
export function servedOtherwise(usage: Usage, { tier, region }: Served, upstreamModel = ""): string | null {
  const { served } = usage;
  if (served === undefined) return null;
  const other = served.models?.find((model) => !isSameModel(model, upstreamModel));
  if (other !== undefined) return `model ${other}`;
  if (served.silent === true) return "no tier";
  if (served.tier !== undefined && served.tier !== tier) return `tier ${served.tier}`;
  return served.region !== undefined && served.region !== region ? `region ${served.region}` : null;
}

/** Nano-credits times nano-dollars are units of 10⁻¹⁸ dollars. A tick, 10⁻¹⁰ dollars, is so many of them. */
const TICK = 100_000_000n;

/**
 * What the provider says that it bills for an answer, in dollars as text, where that is more than is charged at so many nano-dollars a credit,
 * by more than rounding; null: it is not, or the provider does not say.
 */
export function billedMore({ billedTicks }: Usage, charged: NanoCredits, creditNanoUsd: bigint): string | null {
  if (billedTicks === undefined) return null;
  const [billed, paid] = [BigInt(billedTicks) * TICK, charged * creditNanoUsd];
  if (billed <= paid + creditNanoUsd + TICK) return null;
  return `${formatDecimal({ digits: BigInt(billedTicks), exponent: -10 })} USD`;
}

/** A provider may name the dated version of what it was asked for, or the other way round. */
const isSameModel = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

/**
 * Made once for a tariff, which never changes: a new price is a new tariff. `asked`: the tier that the request asks for; `peak`: whether it
 * begins in the hours that the tariff names.
 */
export function creditRate(tariff: Tariff, asked: string = PLAIN_TIER, peak = false): PayRate {
  const rates = peak ? PEAK_RATES : CREDIT_RATES;
  let known = rates.get(tariff);
  if (known === undefined) rates.set(tariff, (known = new Map()));
  let rate = known.get(asked);
  if (rate === undefined) known.set(asked, (rate = rateOf(tariff, asked, peak)));
  return rate;
}

/** Of each tariff by the tiers that it names, so that no caller can make it grow. */
const CREDIT_RATES = new WeakMap<Tariff, Map<string, PayRate>>();
const PEAK_RATES: typeof CREDIT_RATES = new WeakMap();

function rateOf(tariff: Tariff, asked: string, peak: boolean): PayRate {
  const rows = rowsOf(tariff);
  const bounds = rows.map(boundOf);
  // Who asks for a tier may be served what everybody is; the region is the provider's to choose.
  const served = servedAfter(rows, asked, peak && namesHours(rows));
  const within = (input: number): readonly Bound[] =>
    rows.length === 1 ? bounds : rowsWithin(rows, input, served).map(boundOf);
  return {
    mostOf: ({ input, output }) =>
      within(input).reduce((most, bound) => larger(most, inputOf(bound, input) + BigInt(output) * bound.output), 0n),
    outputFor: (millionths, input) =>
      within(input).reduce<bigint | null>((least, bound) => {
        const rest = millionths - inputOf(bound, input);
        if (rest < 0n) return -1n;
        if (bound.output === 0n) return least;
        return least === null || rest / bound.output < least ? rest / bound.output : least;
      }, null),
    stepBeyond: (input) => {
      const { toInput } = rowFor(rows, input, { tier: asked, region: ANY_REGION, peak });
      return toInput < Number.MAX_SAFE_INTEGER ? toInput : null;
    },
    callOf: (tools) =>
      tools.reduce(
        (most, name) => rows.reduce((dearest, row) => larger(dearest, toolNano(row, name) ?? 0n), most),
        0n,
      ) * MILLION,
    costOf: (usage) => chargeOf(tariff, usage, asked, peak),
    servedAs: (usage) => {
      const row = rowOf(tariff, usage, asked, peak);
      return { tier: row.tier, region: row.region, peak };
    },
    regions: new Set(rows.flatMap(({ region }) => (region === ANY_REGION ? [] : [region]))),
    unpricedIn: (usage) => unpricedUsage(tariff, usage, asked, peak),
  };
}

/**
 * The same for a route that says where it runs: an answer that does not say it was served there. What the answer says stands. What is
 * reserved is the dearest of all regions already.
 */
export function rateIn(rate: PayRate, region: string | null | undefined): PayRate {
  if (region === null || region === undefined || !rate.regions.has(region)) return rate;
  return assuming(rate, (usage) =>
    usage.served?.region === undefined ? { ...usage, served: { ...usage.served, region } } : usage,
  );
}

/** The same for a provider that was not told which tier is asked for: an answer that names none was served as everybody is. */
export const rateUntold = (rate: PayRate): PayRate =>
  assuming(rate, (usage) =>
    usage.served?.tier === undefined ? { ...usage, served: { ...usage.served, tier: PLAIN_TIER } } : usage,
  );

const assuming = (rate: PayRate, known: (usage: Usage) => Usage): PayRate => ({
  ...rate,
  costOf: (usage) => rate.costOf(known(usage)),
  servedAs: (usage) => rate.servedAs(known(usage)),
  unpricedIn: (usage) => rate.unpricedIn(known(usage)),
});

/** The most that a million tokens of either side cost in a row, of so much input as is charged at it. */
type Bound = { toInput: number; input: bigint; output: bigint };

const boundOf = (row: RateRow): Bound => ({
  toInput: row.toInput,
  input: dearestOf(row, "inputNano"),
  output: dearestOf(row, "outputNano"),
});

const inputOf = ({ toInput, input }: Bound, most: number): bigint => BigInt(Math.min(toInput, most)) * input;

const dearestOf = (row: RateRow, whole: TariffPart): bigint =>
  sharesOf(whole).reduce(
    (most, part) => (isReserved(part) ? larger(most, dearestOf(row, part)) : most),
    row.nano[whole],
  );

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

export const TOKEN_RATE: PayRate = {
  mostOf: ({ input, output }) => BigInt(input + output) * MILLION,
  outputFor: (millionths, input) => millionths / MILLION - BigInt(input),
  stepBeyond: () => null,
  callOf: () => 0n,
  costOf: ({ inputTokens, outputTokens }) => BigInt(inputTokens + outputTokens),
  servedAs: () => PLAIN,
  regions: new Set(),
  unpricedIn: () => null,
};

/** A cost in millionths of a nano-credit, rounded up: money is set aside, not charged. */
export const roundedUp = (millionths: bigint): NanoCredits => (millionths + MILLION - 1n) / MILLION;

function toolsNano(row: RateRow, { toolCalls }: Usage): bigint {
  let sum = 0n;
  for (const name in toolCalls) sum += BigInt(toolCalls[name] ?? 0) * (toolNano(row, name) ?? 0n);
  return sum;
}
