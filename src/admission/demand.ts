import { dearestInputNano, dearestOutputNano, roundedUp, type Tariff } from "../core/price.ts";
import type { InputEstimate } from "../tokens/estimate-input.ts";

/** What admission knows of a request before it starts. */
export type DemandFacts = {
  /** Null: the key pays in tokens, and every token costs one. */
  tariff: Tariff | null;
  input: InputEstimate;
  /** What the model takes in at most; null when it does not say. */
  contextWindow: number | null;
  /** How many answers are asked for at once. */
  choices: number;
  /** The caller's own limit of output; null when it set none. */
  maxOutputTokens: number | null;
  /** The model's published limit of output. */
  publishedOutputTokens: number;
  /** What an answer without a limit of its own must at least be able to grow to. */
  floorOutputTokens: number;
  /** How many more tokens this model's tokenizer makes of a text than the estimate. */
  tokenFactor: number;
};

/** The money a request may take, from the least it can begin with to the most it can cost. */
export type Demand = {
  least: bigint;
  most: bigint;
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
/** One token costs one: a million of them, a million. */
const TOKENS: Tariff = { inputNano: MILLION, outputNano: MILLION, toolCallNano: {} };

/**
 * Says what a request could cost; whether it may start is the ledger's word alone. The input counts as the most it can be, at the
 * dearest price that can apply, in `least` too: what starts on a small balance must be payable from it, and parallel requests
 * must not each rely on the same rest of it. [interface decision 17]
 */
export function demandOf(facts: DemandFacts): Demand {
  const tariff = facts.tariff ?? TOKENS;
  const inputNano = dearestInputNano(tariff);
  const outputNano = dearestOutputNano(tariff) * BigInt(facts.choices);
  const { likely, mostPredicted } = facts.input;
  // No provider takes in more than the window.
  const most = Math.min(facts.input.most, facts.contextWindow ?? Infinity);
  const beside = BigInt(most) * inputNano + BigInt(mostPredicted) * outputNano;

  const unlimited = facts.maxOutputTokens === null;
  const ceiling = Math.min(facts.maxOutputTokens ?? Infinity, facts.publishedOutputTokens);
  const floor = unlimited ? Math.min(facts.floorOutputTokens, ceiling) : ceiling;
  const affords = (millionths: bigint): number => {
    if (millionths < 0n) return 0;
    const tokens = outputNano === 0n ? BigInt(ceiling) : millionths / outputNano;
    return Number(tokens < BigInt(ceiling) ? tokens : BigInt(ceiling));
  };
  return {
    least: roundedUp(beside + BigInt(floor) * outputNano),
    // A request that costs nothing still holds something: holding nothing is the form of a request that is only counted.
    most: atLeastOne(roundedUp(beside + BigInt(ceiling) * outputNano)),
    mostInputTokens: most,
    inputTokens: Math.min(most, Math.ceil(likely * facts.tokenFactor)),
    unlimited,
    affordableOutputTokens: (amount) => affords(amount * MILLION - beside),
    advisableOutputTokens: (amount, addedBytes) => affords(amount * MILLION - beside - BigInt(addedBytes) * inputNano),
  };
}

const atLeastOne = (amount: bigint): bigint => (amount === 0n ? 1n : amount);
