import { dearestInputNano, roundedUp, type Tariff } from "../core/price.ts";
import type { InputEstimate } from "../tokens/estimate-input.ts";

/** What admission knows of a request before it starts. */
export type DemandFacts = {
  /** Null: the key pays in tokens, and every token costs one. */
  tariff: Tariff | null;
  input: InputEstimate;
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
  /** The caller set no limit, so what is granted decides how long the answer may grow. */
  unlimited: boolean;
  /** The longest answer, per choice, that an amount pays for beside the estimated input; 0 when not even that fits. */
  affordableOutputTokens: (amount: bigint) => number;
};

const MILLION = 1_000_000n;
/** One token costs one: a million of them, a million. */
const TOKENS: Tariff = {
  inputNano: MILLION,
  outputNano: MILLION,
  cacheReadNano: null,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
};

/**
 * Says what a request could cost; whether it may start is the ledger's word alone. `least` counts the input as estimated,
 * `most` by its bytes, which no tokenizer exceeds; both at the dearest price that can apply. [decision 17]
 */
export function demandOf(facts: DemandFacts): Demand {
  const tariff = facts.tariff ?? TOKENS;
  const inputNano = dearestInputNano(tariff);
  const outputNano = tariff.outputNano * BigInt(facts.choices);
  const inputTokens = Math.min(facts.input.most, Math.ceil(facts.input.likely * facts.tokenFactor));
  const leastInput = BigInt(inputTokens) * inputNano;
  const mostInput = BigInt(facts.input.most) * inputNano;

  const unlimited = facts.maxOutputTokens === null;
  const ceiling = Math.min(facts.maxOutputTokens ?? Infinity, facts.publishedOutputTokens);
  const floor = unlimited ? Math.min(facts.floorOutputTokens, ceiling) : ceiling;
  return {
    least: roundedUp(leastInput + BigInt(floor) * outputNano),
    // A request that costs nothing still holds something: holding nothing is the form of a request that is only counted.
    most: atLeastOne(roundedUp(mostInput + BigInt(ceiling) * outputNano)),
    inputTokens,
    unlimited,
    affordableOutputTokens: (amount) => {
      const left = amount * MILLION - leastInput;
      if (left < 0n) return 0;
      const tokens = outputNano === 0n ? BigInt(ceiling) : left / outputNano;
      return Number(tokens < BigInt(ceiling) ? tokens : BigInt(ceiling));
    },
  };
}

const atLeastOne = (amount: bigint): bigint => (amount === 0n ? 1n : amount);
