import {
  type Amounts,
  beyondOf,
  countAlike,
  isNegative,
  isSomething,
  isWithin,
  noneOf,
} from "../../core/money/amount.ts";
import { invariant } from "../../core/invariant.ts";
import { costIn, type PayRates } from "../../core/money/pay-rate.ts";
import { LARGEST_WINDOW } from "../../core/request/provider-tools.ts";
import { PLAIN_TIER } from "../../core/money/rate-rows.ts";
import { GROUNDED_PROMPT, NO_TOOL_CALLS, NO_USAGE, type AnswerOutcome, type Usage } from "../../core/money/usage.ts";
import type { AnswerStage } from "../../translate/answer-stage.ts";
import type { DeliveredText } from "../../translate/delivered-text.ts";
import { generatedText } from "../../translate/generated-text.ts";
import { withinReservation } from "./within-reservation.ts";

/** What was agreed when a request was admitted. Its price and the units of its chain do not change under way. */
export type Terms = {
  rates: PayRates;
  /** What the request asks to be served as. */
  tier: string;
  /** The input as estimated, for what is written down under way and for what the operator bears. */
  inputTokens: number;
  /** The input as counted, for a bill when the provider does not say. */
  countInput: () => Promise<number>;
  tokenFactor: number;
  contextWindow: number | null;
  choices: number;
  /** How often the provider may run tools of its own. */
  mostCalls: number;
  /** The longest answer that the provider was told it may give, all choices together. No estimate is longer. 0: nothing of its answer is output. */
  mostOutputTokens: number;
  /** What was set aside in each unit. A charge that rests on an estimate never takes more. */
  granted: Amounts;
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
  /** The caller asked for a stream. */
  streamed: boolean;
  /** What a model that reasons has produced unseen, as far as the clock can tell; 0 where it does not reason. */
  hiddenTokens: number;
  /** What it may have produced unseen beside that, in a time too short to charge for. */
  doubtedTokens: number;
  /** What the provider may have produced since it was asked, as far as the clock can tell, where nothing of it was seen. */
  lostTokens: number;
  /** No answer came in time, although the provider had been sent the request. */
  overdue: boolean;
  usage: Usage | null;
  /** What a stream had said when it ended; null for a plain answer. */
  stage: Pick<AnswerStage, "inputUsage" | "providerRuns" | "delivered"> | null;
  /** A plain answer as it came; null for a stream. */
  plain: Buffer | null;
};

/** Amounts are of the units that its chain counts in. */
export type Bill = {
  charge: Amounts;
  usage: Usage;
  /** The provider's numbers were missing, so that ours stand here, or more than can be true, so that no more than was set aside is charged. */
  estimated: boolean;
  /** What the operator bears: work that a provider was asked for and nobody can be charged for. */
  absorbed: Amounts;
  /** The price of what was delivered before a provider failed, or read for a client that left before it responded. Nobody is charged it, up to a cap. */
  waived: Amounts;
  /** The price of what a provider did for a request that ended with an error status. Nobody is charged it, and it is booked nowhere. */
  lost: Amounts;
};

const freeOf = ({ granted }: Terms): Bill => {
  const none = noneOf(granted);
  return { charge: none, usage: NO_USAGE, estimated: false, absorbed: none, waived: none, lost: none };
};

/** The usual bill, for which nothing is counted or waited for: a whole answer with figures of its provider that can be true. Else null. */
export function billAtOnce(ending: Ending, terms: Terms): Bill | null {
  const { outcome, usage } = tierTold(ending, terms);
  if (outcome !== "completed" || usage === null || usage.inputTokens === 0) return null;
  if (usage.outputTokens === 0 && terms.mostOutputTokens > 0) return null;
  if (!isPossible(usage, terms)) return null;
  const none = noneOf(terms.granted);
  const charge = costIn(terms.rates, usage);
  if (ranBeyond(usage, terms) && !isWithin(charge, terms.granted)) return null;
  return balanced({ charge, usage, estimated: false, absorbed: none, waived: none, lost: none }, terms);
}

/** What a request costs in the units of its chain. */
export const billOf = async (ending: Ending, terms: Terms, count: CountText): Promise<Bill> =>
  balanced(await billByOutcome(tierTold(ending, terms), terms, count), terms);

/**
 * A whole answer that names no tier was served as everybody is, whatever was asked for: a provider that knows of tiers names the one it gave.
 * Of an answer that broke off nothing is known, and it is what was asked for.
 */
function tierTold(ending: Ending, { tier }: Terms): Ending {
  const { outcome, usage } = ending;
  if (tier === PLAIN_TIER || outcome !== "completed" || usage === null || usage.served?.tier !== undefined)
    return ending;
  return { ...ending, usage: { ...usage, served: { ...usage.served, tier: PLAIN_TIER, silent: true } } };
}

/** Every part of a bill is an amount in the units of the request, and no work is paid for twice. */
function balanced(bill: Bill, { granted }: Terms): Bill {
  const { charge, absorbed, waived, lost, estimated } = bill;
  for (const part of [charge, absorbed, waived, lost]) {
    invariant(countAlike(part, granted), "a bill is in the units that were reserved");
    invariant(!isNegative(part), "no part of a bill is negative");
  }
  invariant(!estimated || isWithin(charge, granted), "an estimate charges no more than was reserved");
  invariant(!isSomething(waived) || !isSomething(charge), "what is waived is not charged too");
  return bill;
}

/** Row by row as decided. [interface decision 19, 20] */
async function billByOutcome(ending: Ending, terms: Terms, count: CountText): Promise<Bill> {
  const free = freeOf(terms);
  switch (ending.outcome) {
    case "completed":
      return bill(await wholeUsage(ending, terms, count));
    case "client_gone":
      if (!ending.streamed) return leftPlain(ending, terms);
      if (!ending.answered) return leftEarly(ending, terms);
      return withDoubted(await brokenOff(), ending, terms);
    case "timed_out":
      // A caller that was told of a failure by its status pays nothing.
      return ending.begun ? brokenOff() : { ...free, lost: await lost() };
    case "limited": {
      // A plain answer past its bound has more bytes than any limit of output allows for: all that was set aside may be gone.
      if (ending.stage === null) return { ...free, absorbed: terms.granted };
      const made = await brokenOff();
      return ending.begun ? made : { ...free, absorbed: made.charge };
    }
    case "upstream_failed": {
      if (!ending.begun) return { ...free, lost: await lost() };
      const { charge, ...made } = await brokenOff();
      return { ...made, charge: free.charge, waived: charge };
    }
    default:
      return ending.outcome satisfies never;
  }

  async function brokenOff(): Promise<Bill> {
    return bill(await brokenOffUsage(ending, terms, count));
  }

  /** A provider that refused, could not be reached or failed before its first word has done nothing. */
  async function lost(): Promise<Amounts> {
    if (ending.stage !== null) return ending.stage.delivered.length > 0 ? (await brokenOff()).charge : free.lost;
    return ending.answered || ending.overdue
      ? priced(workOf(ending, terms, estimatedInput(terms)), terms).charge
      : free.lost;
  }

  async function bill(counted: Counted): Promise<Bill> {
    const { usage, said } = await withInput(counted, terms);
    if (!said || !isPossible(usage, terms)) return { ...free, ...priced(usage, terms), estimated: true };
    const cost = costIn(terms.rates, usage);
    if (!ranBeyond(usage, terms) || isWithin(cost, terms.granted)) return { ...free, charge: cost, usage };
    const cut = priced(usage, terms);
    return { ...free, ...cut, estimated: true, absorbed: beyondOf(cost, cut.charge) };
  }
}

/**
 * A plain request has delivered nothing when it is left, and its provider was sent the whole input: that is charged. What the provider
 * may have made of it is the house's.
 */
async function leftPlain(ending: Ending, terms: Terms): Promise<Bill> {
  const counted = await inputOf(terms);
  const input = priced(counted, terms);
  const all = priced(workOf(ending, terms, counted), terms);
  return { ...freeOf(terms), ...input, estimated: true, absorbed: beyondOf(all.charge, input.charge) };
}

/** A stream that is left before its provider responds costs nothing, up to a cap; beyond it, what a plain request costs. */
async function leftEarly(ending: Ending, terms: Terms): Promise<Bill> {
  const { charge, ...left } = await leftPlain(ending, terms);
  return { ...left, charge: noneOf(terms.granted), waived: charge };
}

/** Who leaves a model that reasons before it is sure to have begun pays for nothing that it thought. The house bears that, up to its cap. */
function withDoubted(bill: Bill, { doubtedTokens }: Ending, terms: Terms): Bill {
  if (doubtedTokens === 0 || !bill.estimated) return bill;
  const outputTokens = Math.min(terms.mostOutputTokens, bill.usage.outputTokens + doubtedTokens);
  return { ...bill, absorbed: beyondOf(priced({ ...bill.usage, outputTokens }, terms).charge, bill.charge) };
}

const workOf = ({ lostTokens }: Ending, terms: Terms, input: Usage): Usage => ({
  ...input,
  outputTokens: Math.min(lostTokens, terms.mostOutputTokens),
});

export type CostSoFar = { cost: Amounts; usage: Usage };

/** What a running stream would cost if it ended now. Cheap and rough: it is only charged when this process dies. */
export function costSoFar(
  stage: Pick<AnswerStage, "inputUsage" | "providerRuns" | "delivered" | "usage">,
  terms: Terms,
  hiddenTokens = 0,
): CostSoFar {
  const { inputUsage, delivered, usage } = stage;
  const { output: outputTokens } = withHidden(delivered, delivered.length * TOKENS_PER_BYTE, { terms, hiddenTokens });
  const said = usage();
  if (said !== null && isPossible(said, terms) && !ranBeyond(said, terms))
    return { cost: costIn(terms.rates, said), usage: said };
  const input = withRuns(inputSaid(inputUsage()) ?? estimatedInput(terms), stage);
  const counted = priced(said ?? { ...input, outputTokens }, terms);
  return { cost: counted.charge, usage: counted.usage };
}

/** Of common prose and code; other scripts have more bytes and more tokens alike. */
const TOKENS_PER_BYTE = 0.25;

const inputOf = async ({ countInput }: Terms): Promise<Usage> => ({ ...NO_USAGE, inputTokens: await countInput() });

/** Where nobody is charged by it: counting takes its time. */
const estimatedInput = ({ inputTokens }: Terms): Usage => ({ ...NO_USAGE, inputTokens });

const priced = (usage: Usage, terms: Terms) => withinReservation(usage, terms.granted, terms.rates);

/** What the provider said of the input at the start of its stream. */
const inputSaid = (said: Usage | null): Usage | null => said && { ...said, toolCalls: NO_TOOL_CALLS };

/** The searches that were seen are paid for, and what they were seen to bring. */
function withRuns(input: Usage, { providerRuns }: Pick<AnswerStage, "providerRuns">): Usage {
  const runs = providerRuns?.();
  if (runs === undefined) return input;
  return { ...input, inputTokens: input.inputTokens + runs.inputTokens, toolCalls: runs.toolCalls };
}

/** `said`: by the provider, and not counted here. */
type Counted = { usage: Usage; said: boolean };

/** Of what was delivered; a provider that has said less is still counting. */
const SAID_ENOUGH = 0.8;

/** A stream has delivered what it said. What its provider counted on the way stands, unless it had only begun to count. */
async function brokenOffUsage(ending: Ending, terms: Terms, count: CountText): Promise<Counted> {
  const { stage, usage } = ending;
  if (stage === null) return { usage: await inputOf(terms), said: false };
  const { delivered } = stage;
  const tokens = delivered.length === 0 ? 0 : await count(delivered.text());
  const { spoken, output, thought } = withHidden(delivered, tokens * delivered.scale(), { terms, ...ending });
  if (usage !== null && usage.outputTokens >= spoken * SAID_ENOUGH) return countedOn(usage, spoken, delivered);
  const input = usage ?? withRuns(inputSaid(stage.inputUsage()) ?? (await inputOf(terms)), stage);
  return { usage: { ...input, outputTokens: output, reasoningTokens: thought }, said: false };
}

/** A provider that counts on the way may stop counting before it stops writing. */
function countedOn(usage: Usage, spoken: number, delivered: DeliveredText): Counted {
  const more = Math.ceil(spoken * delivered.shareSinceTold());
  return more === 0
    ? { usage, said: true }
    : { usage: { ...usage, outputTokens: usage.outputTokens + more }, said: false };
}

/** No request is without input: a provider that counts none has not counted it. */
async function withInput(counted: Counted, { countInput }: Terms): Promise<Counted> {
  if (counted.usage.inputTokens > 0) return counted;
  const inputTokens = await countInput();
  return inputTokens === 0 ? counted : { usage: { ...counted.usage, inputTokens }, said: false };
}

type Unseen = { terms: Terms; hiddenTokens: number };

/** Thoughts that were shown are part of those that the clock tells of, or all of them; they count once. */
function withHidden(
  { length, thoughtBytes }: Pick<DeliveredText, "length" | "thoughtBytes">,
  tokens: number,
  { terms, hiddenTokens }: Unseen,
): { spoken: number; output: number; thought: number } {
  const spoken = Math.min(terms.mostOutputTokens, Math.ceil(tokens * terms.tokenFactor));
  const shown = length === 0 ? 0 : Math.floor((spoken * thoughtBytes) / length);
  const thought = Math.min(terms.mostOutputTokens - spoken + shown, Math.max(shown, hiddenTokens));
  return { spoken, output: spoken - shown + thought, thought };
}

/** A provider that counts no output for what it has said has not counted. */
async function wholeUsage(ending: Ending, terms: Terms, count: CountText): Promise<Counted> {
  const { usage, plain, stage } = ending;
  if (usage !== null && (usage.outputTokens > 0 || terms.mostOutputTokens === 0 || stage?.delivered.length === 0))
    return { usage, said: true };
  if (plain === null) return brokenOffUsage({ ...ending, hiddenTokens: 0 }, terms, count);
  // It was parsed before it came here, so it can be parsed again.
  const text = generatedText(JSON.parse(plain.toString("utf8")));
  if (usage !== null && text === "") return { usage, said: true };
  const tokens = await count(text);
  return {
    usage: { ...(usage ?? (await inputOf(terms))), outputTokens: Math.ceil(tokens * terms.tokenFactor) },
    said: false,
  };
}

/** False for numbers that exceed what the model can take in or give out, calls of tools included: they cannot be true. */
function isPossible(usage: Usage, { contextWindow, choices, mostCalls }: Terms): boolean {
  let calls = 0;
  // A request that searched is no search beside its searches.
  for (const name in usage.toolCalls) calls += name === GROUNDED_PROMPT ? 0 : (usage.toolCalls[name] ?? 0);
  // A call is asked for in tokens of output, which not every provider counts: those that were reserved are possible.
  if (calls > Math.max(usage.outputTokens, mostCalls)) return false;
  const window = contextWindow ?? LARGEST_WINDOW;
  // What was read again after each call counts again.
  const read = mostCalls === 0 ? 1 : 1 + Math.max(calls, mostCalls);
  return usage.inputTokens <= window * read && usage.outputTokens <= window * choices;
}

/**
 * Whether tools ran more often than the provider was told that they may. Nobody asked for that and no reservation holds it: xAI bounds the rounds
 * of its searches, and not how many run in one.
 */
const ranBeyond = ({ toolCalls }: Usage, { mostCalls }: Terms): boolean =>
  mostCalls > 0 && (toolCalls["web_search"] ?? 0) + (toolCalls["web_fetch"] ?? 0) > mostCalls;
