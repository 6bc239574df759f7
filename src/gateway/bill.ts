import { chargeOf, type Tariff } from "../core/price.ts";
import { NO_TOOL_CALLS, NO_USAGE, type Outcome, type Usage } from "../core/usage.ts";
import { countInSlices } from "../tokens/count-in-slices.ts";
import type { CountTokens } from "../tokens/count-tokens.ts";
import type { AnswerStage } from "../translate/answer-stage.ts";
import { generatedText } from "../translate/generated-text.ts";

/** What was agreed when a request was admitted. Its price and its key's unit do not change under way. */
export type Terms = {
  /** Null: the key pays in tokens, and every token costs one. */
  tariff: Tariff | null;
  /** The input as estimated, for when the provider does not say. */
  inputTokens: number;
  tokenFactor: number;
  contextWindow: number | null;
  choices: number;
};

/** How a request ended, as far as its cost goes. */
export type Ending = {
  outcome: Outcome;
  /** A provider said 200. Before that, nothing of the answer was produced. */
  answered: boolean;
  /** The caller has been sent a status of success. */
  begun: boolean;
  usage: Usage | null;
  /** What a stream had said when it ended; null for a plain answer. */
  stage: Pick<AnswerStage, "inputUsage" | "delivered"> | null;
  /** A plain answer as it came; null for a stream. */
  plain: Buffer | null;
};

export type Bill = {
  charge: bigint;
  usage: Usage;
  /** The provider's numbers were missing or impossible, so ours stand here. */
  estimated: boolean;
  /** What the operator bears: input sent to a provider for a caller that left before it answered. */
  writeOff: bigint;
};

const FREE: Bill = { charge: 0n, usage: NO_USAGE, estimated: false, writeOff: 0n };

/** What a request costs in the unit of its key, row by row as decided. [decisions 19, 20] */
export async function billOf(ending: Ending, terms: Terms, count: () => Promise<CountTokens>): Promise<Bill> {
  const said = possible(ending.usage, terms);
  switch (ending.outcome) {
    case "completed":
      return bill(said, () => wholeUsage(ending, terms, count));
    case "client_gone":
      if (!ending.answered) return { ...FREE, writeOff: costOf(terms, inputOf(terms)) };
      return bill(said, () => brokenOffUsage(ending, terms, count));
    case "timed_out":
      // A caller that was told of a failure by its status pays nothing.
      return ending.begun ? bill(said, () => brokenOffUsage(ending, terms, count)) : FREE;
    case "upstream_failed":
      return FREE;
    default:
      return ending.outcome satisfies never;
  }

  async function bill(usage: Usage | null, estimate: () => Promise<Usage>): Promise<Bill> {
    const counted = usage ?? (await estimate());
    return { charge: costOf(terms, counted), usage: counted, estimated: usage === null, writeOff: 0n };
  }
}

/** What a running stream would cost if it ended now. Cheap and rough: it is only charged when this process dies. */
export function costSoFar(
  { inputUsage, delivered, usage }: Pick<AnswerStage, "inputUsage" | "delivered" | "usage">,
  terms: Terms,
): { cost: bigint; usage: Usage } {
  const outputTokens = Math.ceil(delivered.length * TOKENS_PER_BYTE * terms.tokenFactor);
  const counted = possible(usage(), terms) ?? { ...inputSaid(inputUsage(), terms), outputTokens };
  return { cost: costOf(terms, counted), usage: counted };
}

/** Of common prose and code; other scripts have more bytes and more tokens alike. */
const TOKENS_PER_BYTE = 0.25;

export function costOf({ tariff }: Pick<Terms, "tariff">, usage: Usage): bigint {
  return tariff === null ? BigInt(usage.inputTokens + usage.outputTokens) : chargeOf(tariff, usage);
}

const inputOf = ({ inputTokens }: Terms): Usage => ({ ...NO_USAGE, inputTokens });

/** What the provider said of the input at the start of its stream, as far as that can be true; else the estimate. */
const inputSaid = (said: Usage | null, terms: Terms): Usage =>
  possible(said && { ...said, toolCalls: NO_TOOL_CALLS }, terms) ?? inputOf(terms);

/** A plain answer that was broken off has delivered nothing; a stream has delivered what it said. */
async function brokenOffUsage({ stage }: Ending, terms: Terms, count: () => Promise<CountTokens>): Promise<Usage> {
  if (stage === null) return inputOf(terms);
  const { delivered } = stage;
  const tokens = delivered.length === 0 ? 0 : await countInSlices(delivered.text(), await count());
  const outputTokens = Math.ceil(tokens * delivered.scale() * terms.tokenFactor);
  return { ...inputSaid(stage.inputUsage(), terms), outputTokens };
}

async function wholeUsage(ending: Ending, terms: Terms, count: () => Promise<CountTokens>): Promise<Usage> {
  if (ending.plain === null) return brokenOffUsage(ending, terms, count);
  // It was parsed before it came here, so it can be parsed again.
  const text = generatedText(JSON.parse(ending.plain.toString("utf8")));
  const tokens = await countInSlices(text, await count());
  return { ...inputOf(terms), outputTokens: Math.ceil(tokens * terms.tokenFactor) };
}

/** Null for numbers that exceed what the model can take in or give out, calls of tools included: they cannot be true. */
function possible(usage: Usage | null, { contextWindow, choices }: Terms): Usage | null {
  if (usage === null) return null;
  const calls = Object.values(usage.toolCalls).reduce((sum, count) => sum + count, 0);
  // A call is asked for in tokens of output.
  if (calls > usage.outputTokens) return null;
  if (contextWindow === null) return usage;
  return usage.inputTokens <= contextWindow && usage.outputTokens <= contextWindow * choices ? usage : null;
}
