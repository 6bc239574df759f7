import type { Amounts } from "./amount.ts";
import type { NanoCredits } from "./money.ts";
import {
  isDearer,
  partTokens,
  sharesOf,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  tokensIn,
  wordOf,
} from "./price.ts";
import { PLAIN, type RateRow, rowFor, rowsOf, rowsWithin } from "./rate-rows.ts";
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
  costOf: (usage: Usage) => bigint;
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

/** The row of a price that a usage is charged at. */
export const rowOf = (tariff: Tariff, { inputTokens }: Pick<Usage, "inputTokens">): RateRow =>
  rowFor(rowsOf(tariff), inputTokens);

/** What a usage costs. The parts are added before the one rounding, half up, so that no part loses its fraction. */
export function chargeOf(tariff: Tariff, usage: Usage): NanoCredits {
  const row = rowOf(tariff, usage);
  let millionths = toolsNano(row, usage) * MILLION;
  for (const part of TARIFF_PARTS) {
    const tokens = tokensIn(part, usage);
    if (tokens > 0) millionths += BigInt(tokens) * row.nano[part];
  }
  return (millionths + HALF_MILLION) / MILLION;
}

/**
 * The first part of a usage that costs the house money and has no price of its own, named as the catalogue file names it;
 * null when all of it is paid for. A cache read without a price is charged as plain input, which is never less than its provider asks.
 */
export function unpricedUsage(tariff: Tariff, usage: Usage): string | null {
  const row = rowOf(tariff, usage);
  for (const part of TARIFF_PARTS) {
    if (isDearer(part) && !row.own.has(part) && partTokens(part, usage) > 0) return wordOf(part);
  }
  const { toolCalls } = usage;
  for (const name in toolCalls) if ((toolCalls[name] ?? 0) > 0 && toolNano(row, name) === null) return `tools.${name}`;
  return null;
}

/** Made once for a tariff, which never changes: a new price is a new tariff. */
export function creditRate(tariff: Tariff): PayRate {
  const known = CREDIT_RATES.get(tariff);
  if (known !== undefined) return known;
  const rate = rateOf(tariff);
  CREDIT_RATES.set(tariff, rate);
  return rate;
}

const CREDIT_RATES = new WeakMap<Tariff, PayRate>();

function rateOf(tariff: Tariff): PayRate {
  const rows = rowsOf(tariff);
  const bounds = rows.map(boundOf);
  const within = (input: number): readonly Bound[] =>
    rows.length === 1 ? bounds : rowsWithin(rows, input, [PLAIN]).map(boundOf);
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
      const { toInput } = rowFor(rows, input);
      return toInput < Number.MAX_SAFE_INTEGER ? toInput : null;
    },
    costOf: (usage) => chargeOf(tariff, usage),
    unpricedIn: (usage) => unpricedUsage(tariff, usage),
  };
}

/** The most that a million tokens of either side cost in a row, of so much input as is charged at it. */
type Bound = { toInput: number; input: bigint; output: bigint };

const boundOf = (row: RateRow): Bound => ({
  toInput: row.toInput,
  input: dearestOf(row, "inputNano"),
  output: dearestOf(row, "outputNano"),
});

const inputOf = ({ toInput, input }: Bound, most: number): bigint => BigInt(Math.min(toInput, most)) * input;

const dearestOf = ({ nano }: RateRow, whole: TariffPart): bigint =>
  sharesOf(whole).reduce((most, part) => larger(most, nano[part]), nano[whole]);

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

export const TOKEN_RATE: PayRate = {
  mostOf: ({ input, output }) => BigInt(input + output) * MILLION,
  outputFor: (millionths, input) => millionths / MILLION - BigInt(input),
  stepBeyond: () => null,
  costOf: ({ inputTokens, outputTokens }) => BigInt(inputTokens + outputTokens),
  unpricedIn: () => null,
};

/** A cost in millionths of a nano-credit, rounded up: money is set aside, not charged. */
export const roundedUp = (millionths: bigint): NanoCredits => (millionths + MILLION - 1n) / MILLION;

function toolsNano(row: RateRow, { toolCalls }: Usage): bigint {
  let sum = 0n;
  for (const name in toolCalls) sum += BigInt(toolCalls[name] ?? 0) * (toolNano(row, name) ?? 0n);
  return sum;
}

/** Tool names come from a provider, so one may be called `constructor`. */
export const toolNano = ({ toolCallNano }: Pick<RateRow, "toolCallNano">, name: string): bigint | null =>
  Object.hasOwn(toolCallNano, name) ? (toolCallNano[name] ?? null) : null;
