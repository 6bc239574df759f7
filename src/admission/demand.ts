import { invariant } from "../core/invariant.ts";
import type { KeyMode } from "../core/key-mode.ts";
import type { ModelTerms } from "../core/model-terms.ts";
import { creditRate, type PayRate, roundedUp, type Tariff, TOKEN_RATE } from "../core/price.ts";
import type { InputEstimate } from "../tokens/estimate-input.ts";

/** What admission knows of a request before it starts. */
export type DemandFacts = {
  /** What the key pays in. */
  mode: KeyMode;
  model: Pick<ModelTerms, "contextWindow" | "maxOutputTokens" | "outputCeiling" | "outputFloor" | "tokenFactor"> & {
    price: (Tariff & { version: number }) | null;
  };
  input: InputEstimate;
  /** How many answers are asked for at once. */
  choices: number;
  /** The caller's own limit of output; null when it set none. */
  maxOutputTokens: number | null;
};

/** The money a request may take, from the least it can begin with to the most it can cost. */
export type Demand = {
  least: bigint;
  most: bigint;
  /** What the request is paid by to its end, whatever becomes of the price under way. */
  rate: PayRate;
  /** The version of the model's price that the books name; 0 where it has none. */
  priceVersion: number;
  /** The longest answer that the model gives. */
  publishedOutputTokens: number;
  /** The input as estimated, in this model's tokens. */
  inputTokens: number;
  /** What was set aside for it. */
  mostInputTokens: number;
  /** The caller set no limit, so what is granted decides how long the answer may grow. */
  unlimited: boolean;
  /** The longest answer, per choice, that an amount pays for beside the input; 0 when not even that fits. */
  affordableOutputTokens: (amount: bigint) => number;
  /** The same for a body that is so many bytes longer, as it is when a limit is written into it. */
  advisableOutputTokens: (amount: bigint, addedBytes: number) => number;
};

const MILLION = 1_000_000n;

/**
 * Says what a request could cost; whether it may start is the ledger's word alone. The input counts as the most it can be, at the
 * dearest price that can apply, in `least` too: what starts on a small balance must be payable from it, and parallel requests
 * must not each rely on the same rest of it. [interface decision 17]
 */
export function demandOf(facts: DemandFacts): Demand {
  const { model, mode, choices } = facts;
  const publishedOutputTokens = model.maxOutputTokens ?? model.outputCeiling;
  invariant(publishedOutputTokens !== null, "a model without any limit of output is not routable");
  const rate = rateOf(mode, model.price);
  const inputNano = rate.dearestInput;
  const outputNano = rate.dearestOutput * BigInt(choices);
  const { likely, mostPredicted } = facts.input;
  // No provider takes in more than the window.
  const most = Math.min(facts.input.most, model.contextWindow ?? Infinity);
  const beside = BigInt(most) * inputNano + BigInt(mostPredicted) * outputNano;

  const unlimited = facts.maxOutputTokens === null;
  const ceiling = Math.min(facts.maxOutputTokens ?? Infinity, publishedOutputTokens);
  const floor = unlimited ? Math.min(model.outputFloor, ceiling) : ceiling;
  const affords = (millionths: bigint): number => {
    if (millionths < 0n) return 0;
    const tokens = outputNano === 0n ? BigInt(ceiling) : millionths / outputNano;
    return Number(tokens < BigInt(ceiling) ? tokens : BigInt(ceiling));
  };
  return {
    least: roundedUp(beside + BigInt(floor) * outputNano),
    // A request that costs nothing still holds something: holding nothing is the form of a request that is only counted.
    most: atLeastOne(roundedUp(beside + BigInt(ceiling) * outputNano)),
    rate,
    priceVersion: model.price?.version ?? 0,
    publishedOutputTokens,
    mostInputTokens: most,
    inputTokens: Math.min(most, Math.ceil(likely * model.tokenFactor)),
    unlimited,
    affordableOutputTokens: (amount) => affords(amount * MILLION - beside),
    advisableOutputTokens: (amount, addedBytes) => affords(amount * MILLION - beside - BigInt(addedBytes) * inputNano),
  };
}

function rateOf(mode: KeyMode, price: Tariff | null): PayRate {
  if (mode === "token_budget") return TOKEN_RATE;
  invariant(price !== null, "a model without a price is not sold on credit");
  return creditRate(price);
}

const atLeastOne = (amount: bigint): bigint => (amount === 0n ? 1n : amount);
