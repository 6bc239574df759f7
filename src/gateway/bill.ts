import { chargeOf, type Tariff } from "../core/price.ts";
import { NO_TOOL_CALLS, NO_USAGE, type AnswerOutcome, type Usage } from "../core/usage.ts";
import type { AnswerStage } from "../translate/answer-stage.ts";
import { generatedText } from "../translate/generated-text.ts";
import { withinReservation } from "./within-reservation.ts";

/** What was agreed when a request was admitted. Its price and its key's unit do not change under way. */
export type Terms = {
  /** Null: the key pays in tokens, and every token costs one. */
  tariff: Tariff | null;
  /** The input as estimated, for what is written down under way and for what the operator bears. */
  inputTokens: number;
  /** The input as counted, for a bill when the provider does not say. */
  countInput: () => Promise<number>;
  tokenFactor: number;
  contextWindow: number | null;
  choices: number;
  /** What was set aside. A charge that rests on an estimate never takes more. */
  granted: bigint;
};

/** Counts the tokens of a text, in its own time. */
type CountText = (text: string) => Promise<number>;

/** How a request ended, as far as its cost goes. */
export type Ending = {
  outcome: AnswerOutcome;
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
  /** The provider's numbers were missing, so that ours stand here, or more than can be true, so that no more than was set aside is charged. */
  estimated: boolean;
  /** What the operator bears: work that a provider was asked for and nobody can be charged for. */
  writeOff: bigint;
};

const FREE: Bill = { charge: 0n, usage: NO_USAGE, estimated: false, writeOff: 0n };

/** What a request costs in the unit of its key, row by row as decided. [decisions 19, 20] */
export async function billOf(ending: Ending, terms: Terms, count: CountText): Promise<Bill> {
  switch (ending.outcome) {
    case "completed":
      return bill(() => wholeUsage(ending, terms, count));
    case "client_gone":
      if (!ending.answered) return { ...FREE, writeOff: costOf(terms, estimatedInput(terms)) };
      return bill(() => brokenOffUsage(ending, terms, count));
    case "timed_out":
      // A caller that was told of a failure by its status pays nothing.
      return ending.begun ? bill(() => brokenOffUsage(ending, terms, count)) : FREE;
    case "limited": {
      // A plain answer past its bound has more bytes than any limit of output allows for: all that was set aside may be gone.
      if (ending.stage === null) return { ...FREE, writeOff: terms.granted };
      const made = await bill(() => brokenOffUsage(ending, terms, count));
      return ending.begun ? made : { ...FREE, writeOff: made.charge };
    }
    case "upstream_failed":
      return FREE;
    default:
      return ending.outcome satisfies never;
  }

  async function bill(estimate: () => Promise<Usage>): Promise<Bill> {
    const { usage } = ending;
    if (usage !== null && isPossible(usage, terms)) {
      return { charge: costOf(terms, usage), usage, estimated: false, writeOff: 0n };
    }
    return { ...priced(usage ?? (await estimate()), terms), estimated: true, writeOff: 0n };
  }
}

/** What a running stream would cost if it ended now. Cheap and rough: it is only charged when this process dies. */
export function costSoFar(
  { inputUsage, delivered, usage }: Pick<AnswerStage, "inputUsage" | "delivered" | "usage">,
  terms: Terms,
): { cost: bigint; usage: Usage } {
  const outputTokens = Math.ceil(delivered.length * TOKENS_PER_BYTE * terms.tokenFactor);
  const said = usage();
  if (said !== null && isPossible(said, terms)) return { cost: costOf(terms, said), usage: said };
  const input = inputSaid(inputUsage()) ?? estimatedInput(terms);
  const counted = priced(said ?? { ...input, outputTokens }, terms);
  return { cost: counted.charge, usage: counted.usage };
}

/** Of common prose and code; other scripts have more bytes and more tokens alike. */
const TOKENS_PER_BYTE = 0.25;

export function costOf({ tariff }: Pick<Terms, "tariff">, usage: Usage): bigint {
  return tariff === null ? BigInt(usage.inputTokens + usage.outputTokens) : chargeOf(tariff, usage);
}

const inputOf = async ({ countInput }: Terms): Promise<Usage> => ({ ...NO_USAGE, inputTokens: await countInput() });

/** Where nobody is charged by it: counting takes its time. */
const estimatedInput = ({ inputTokens }: Terms): Usage => ({ ...NO_USAGE, inputTokens });

const priced = (usage: Usage, terms: Terms) =>
  withinReservation(usage, terms.granted, (counted) => costOf(terms, counted));

/** What the provider said of the input at the start of its stream. */
const inputSaid = (said: Usage | null): Usage | null => said && { ...said, toolCalls: NO_TOOL_CALLS };

/** A plain answer that was broken off has delivered nothing; a stream has delivered what it said. */
async function brokenOffUsage({ stage }: Ending, terms: Terms, count: CountText): Promise<Usage> {
  if (stage === null) return inputOf(terms);
  const { delivered } = stage;
  const tokens = delivered.length === 0 ? 0 : await count(delivered.text());
  const outputTokens = Math.ceil(tokens * delivered.scale() * terms.tokenFactor);
  const input = inputSaid(stage.inputUsage()) ?? (await inputOf(terms));
  return { ...input, outputTokens };
}

async function wholeUsage(ending: Ending, terms: Terms, count: CountText): Promise<Usage> {
  if (ending.plain === null) return brokenOffUsage(ending, terms, count);
  // It was parsed before it came here, so it can be parsed again.
  const text = generatedText(JSON.parse(ending.plain.toString("utf8")));
  const tokens = await count(text);
  return { ...(await inputOf(terms)), outputTokens: Math.ceil(tokens * terms.tokenFactor) };
}

/** False for numbers that exceed what the model can take in or give out, calls of tools included: they cannot be true. */
function isPossible(usage: Usage, { contextWindow, choices }: Terms): boolean {
  const calls = Object.values(usage.toolCalls).reduce((sum, count) => sum + count, 0);
  // A call is asked for in tokens of output.
  if (calls > usage.outputTokens) return false;
  if (contextWindow === null) return true;
  return usage.inputTokens <= contextWindow && usage.outputTokens <= contextWindow * choices;
}
