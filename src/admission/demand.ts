import { type Amounts, isNegative, isWithin, type Unit } from "../core/money/amount.ts";
import { invariant } from "../core/invariant.ts";
import type { ModelTerms } from "../core/catalogue/model-terms.ts";
import { creditRate, type PayRate, type PayRates, roundedUp, TOKEN_RATE } from "../core/money/pay-rate.ts";
import { type Tariff } from "../core/money/price.ts";
import { isPeak } from "../core/money/rate-rows.ts";
import { GROUNDED_PROMPT } from "../core/money/usage.ts";
import { type MediaTokens, mostInputTokens as mostInputTokensOf } from "../core/request/media-tokens.ts";
import type { InputEstimate } from "../core/request/input-estimate.ts";
import { mostInputRead, type ProviderCalls } from "../core/request/provider-tools.ts";

/** What admission knows of a request before it starts. */
export type DemandFacts = {
  /** What the counters of its chain count in. */
  units: readonly Unit[];
  model: Pick<ModelTerms, "contextWindow" | "maxOutputTokens" | "outputCeiling" | "outputFloor" | "tokenFactor"> & {
    price: (Tariff & { version: number }) | null;
  };
  /** What it asks to be served as. */
  tier: string;
  /** When it began, which decides where the price names hours. */
  beganAtMs: number;
  input: InputEstimate;
  /** What the model makes of media at most. */
  mediaTokens: MediaTokens;
  /** How many answers are asked for at once. */
  choices: number;
  /** The caller's own limit of output; null when it set none. */
  maxOutputTokens: number | null;
  /** What the provider is to run while it answers; null: nothing. */
  calls: ProviderCalls | null;
};

/** What a request may take of each unit, from the least it can begin with to the most it can cost. */
export type Demand = {
  least: Amounts;
  most: Amounts;
  /** What the request is paid by to its end, whatever becomes of the price under way. */
  rates: PayRates;
  /** The version of the model's price that the books name; 0 where it has none. */
  priceVersion: number;
  /** The longest answer that the model gives. */
  publishedOutputTokens: number;
  /** The input as estimated, in this model's tokens. */
  inputTokens: number;
  /** What was set aside for it. */
  mostInputTokens: number;
  /** How often its provider may run tools of its own. */
  mostCalls: number;
  /** The caller set no limit, so what is granted decides how long the answer may grow. */
  unlimited: boolean;
  /** The longest answer, per choice, that amounts pay for in every unit beside the input; 0 when not even that fits. */
  affordableOutputTokens: (amounts: Amounts) => number;
  /** The same for a body that is so many bytes longer, as it is when a limit is written into it. */
  advisableOutputTokens: (amounts: Amounts, addedBytes: number) => number;
};

const MILLION = 1_000_000n;

/**
 * Says what a request could cost; whether it may start is the ledger's word alone. The input counts as the most it can be, at the
 * dearest price that can apply, in `least` too: what starts on a small balance must be payable from it, and parallel requests
 * must not each rely on the same rest of it. [interface decision 17]
 */
export function demandOf(facts: DemandFacts): Demand {
  const { model } = facts;
  const publishedOutputTokens = model.maxOutputTokens ?? model.outputCeiling;
  invariant(publishedOutputTokens !== null, "a model without any limit of output is not routable");
  const rates = ratesOf(facts);
  const { likely } = facts.input;
  const prompt = mostInputTokensOf(facts.input, facts.mediaTokens, model.contextWindow);
  const unlimited = facts.maxOutputTokens === null;
  const ceiling = Math.min(facts.maxOutputTokens ?? Infinity, publishedOutputTokens);
  const floor = unlimited ? Math.min(model.outputFloor, ceiling) : ceiling;

  const size = { prompt, ceiling, floor };
  const inCredits = rates.credits && demandAt(rates.credits, facts, size);
  const inTokens = rates.tokens && demandAt(rates.tokens, facts, size);
  const smaller = (amounts: Amounts, addedBytes: number): number =>
    Math.min(
      inCredits === null || amounts.credits === null ? ceiling : inCredits.affords(amounts.credits, addedBytes),
      inTokens === null || amounts.tokens === null ? ceiling : inTokens.affords(amounts.tokens, addedBytes),
    );
  const least = { credits: inCredits?.least ?? null, tokens: inTokens?.least ?? null };
  const most = { credits: inCredits?.most ?? null, tokens: inTokens?.most ?? null };
  invariant(!isNegative(least) && isWithin(least, most), "a request needs something from nothing up to its most");
  return {
    least,
    most,
    rates,
    priceVersion: model.price?.version ?? 0,
    publishedOutputTokens,
    mostInputTokens: inputWith(facts, prompt, ceiling),
    inputTokens: Math.min(prompt, Math.ceil(likely * model.tokenFactor)),
    mostCalls: facts.calls?.most ?? 0,
    unlimited,
    affordableOutputTokens: (amounts) => smaller(amounts, 0),
    advisableOutputTokens: smaller,
  };
}

/** Where tools are run, what they bring is input, and all that there is of an answer is read again after each. */
function inputWith({ calls, choices, input, model }: DemandFacts, prompt: number, tokens: number): number {
  if (calls === null) return prompt;
  const output = (tokens + input.mostPredicted) * choices;
  return mostInputRead({ prompt, output, contextWindow: model.contextWindow }, calls);
}

type Size = { prompt: number; ceiling: number; floor: number };

/** What it takes of one unit. */
function demandAt(rate: PayRate, facts: DemandFacts, { prompt, ceiling, floor }: Size) {
  const { choices, input, calls } = facts;
  // A price names one of the two: each search, or each request that led to any.
  const callsMost =
    calls === null ? 0n : BigInt(calls.most) * rate.callOf(calls.tools) + rate.callOf([GROUNDED_PROMPT]);
  const mostWith = (tokens: number, addedBytes = 0): bigint =>
    callsMost +
    rate.mostOf({
      input: inputWith(facts, prompt + addedBytes, tokens),
      output: (tokens + input.mostPredicted) * choices,
    });
  return {
    least: roundedUp(mostWith(floor)),
    // A request that costs nothing still holds something: holding nothing is the form of a request that is only counted.
    most: atLeastOne(roundedUp(mostWith(ceiling))),
    affords: (amount: bigint, addedBytes: number): number => {
      // An answer that is read again costs more than its output.
      if (calls !== null) return largestOf(ceiling, (tokens) => mostWith(tokens, addedBytes) <= amount * MILLION);
      const output = rate.outputFor(amount * MILLION, prompt + addedBytes);
      if (output === null) return ceiling;
      const tokens = output / BigInt(choices) - BigInt(input.mostPredicted);
      if (output < 0n || tokens < 0n) return 0;
      return Number(tokens < BigInt(ceiling) ? tokens : BigInt(ceiling));
    },
  };
}

/** The largest number up to a most for which something holds that holds for all below it; 0 if it holds for none. */
function largestOf(most: number, holds: (number: number) => boolean): number {
  let [below, above] = [0, most];
  while (below < above) {
    const between = Math.ceil((below + above) / 2);
    if (holds(between)) below = between;
    else above = between - 1;
  }
  return below;
}

function ratesOf({ units, model: { price }, tier, beganAtMs }: DemandFacts): PayRates {
  const tokens = units.includes("tokens") ? TOKEN_RATE : null;
  if (!units.includes("credit")) return { credits: null, tokens };
  invariant(price !== null, "a model without a price is not sold on credit");
  return { credits: creditRate(price, tier, price.when !== undefined && isPeak(price, beganAtMs)), tokens };
}

const atLeastOne = (amount: bigint): bigint => (amount === 0n ? 1n : amount);
