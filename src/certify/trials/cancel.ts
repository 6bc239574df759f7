import { formatCredits } from "../../core/money/money.ts";
import type { ClientDialect } from "../../core/request/dialect.ts";
import type { Leaving } from "../call-gateway.ts";
import type { Question } from "../questions.ts";
import { readReply } from "../read-reply.ts";
import {
  type AnsweredQuestion,
  type Finding,
  notApplicable,
  type Stage,
  type Subject,
  together,
  type Trial,
} from "../trial.ts";

const LONG_ANSWER_TOKENS = 800;
/** Room for a budget of thoughts, of which the least is 1,024 tokens, and for the answer. */
const THINKING_TOKENS = 1_536;
/** Long enough to be in the middle of hidden thoughts, and short enough to pay little for them. */
const LEAVE_AFTER_MS = 1_500;

const credits = (nano: bigint): string => `${formatCredits(nano)} credits`;

/** What must hold whenever a client disconnects. What the provider bills for it, nobody can see from here. */
function leftFinding({ reply, exchange, charge, boundNano }: AnsweredQuestion): Finding {
  if (exchange === null)
    return {
      faults: [`Tollgate returned ${reply.status ?? "nothing"} without a call to the provider.`],
      notes: [],
      skipped: null,
    };
  if (exchange.status !== 200)
    return { faults: [`The provider returned ${exchange.status ?? "no response"}.`], notes: [], skipped: null };
  if (!reply.left || exchange.end === "complete")
    return notApplicable("The response was complete before the client disconnected.");
  const faults: string[] = [];
  if (exchange.end !== "abandoned") faults.push("Tollgate did not abort the call to the provider.");
  if ((charge?.nano ?? 0n) > boundNano) faults.push("The charge exceeds the reservation.");
  const tokens = charge === null ? "nothing" : `${charge.inputTokens} input and ${charge.outputTokens} output tokens`;
  const note = `Call aborted; Tollgate charged ${tokens}, ${credits(charge?.nano ?? 0n)} of at most ${credits(boundNano)}. What the provider billed is unknown.`;
  return { faults, notes: [note], skipped: null };
}

/** Disconnects once text arrives. */
export function cancelTrial(subject: Subject, client: ClientDialect): Trial {
  const asked: Question = {
    text: "Count from 1 to 300 in words, one number per line.",
    outputTokens: Math.min(LONG_ANSWER_TOKENS, subject.maxOutputTokens),
    streamed: true,
  };
  const leave: Leaving = { when: (text) => readReply(client, text).text.length > 0 };
  return {
    id: "cancel",
    title: "cancellation mid-stream",
    client,
    target: "model",
    questions: [asked],
    turns: 0,
    free: false,
    run: async (stage) => leftFinding(await stage.ask(asked, leave)),
  };
}

/** Thoughts: how many are reported of how much output, and what is charged when they are cut short. */
export function reasoningTrial(subject: Subject, client: ClientDialect): Trial {
  const asked: Question = {
    text: "How many of the numbers from 1 to 60 are divisible by 3 or by 7, but not by both? Answer with the number.",
    outputTokens: Math.min(THINKING_TOKENS, subject.maxOutputTokens),
    streamed: true,
    reasoning: true,
  };
  return {
    id: "reasoning",
    title: "reasoning, and cancellation during it",
    client,
    target: "model",
    questions: [asked, asked],
    turns: 0,
    free: false,
    run: (stage) =>
      subject.capabilities["reasoning"] === false
        ? Promise.resolve(notApplicable("The catalogue says the model does not reason."))
        : think(stage, asked),
  };
}

async function think(stage: Stage, asked: Question): Promise<Finding> {
  const whole = await stage.ask(asked);
  if (whole.exchange?.status === 400) return notApplicable("The provider rejects reasoning for this model.");
  const judged = await stage.judge(whole);
  if (judged.faults.length > 0 || whole.usage === null) return judged;
  const { reasoningTokens, outputTokens } = whole.usage;
  if (reasoningTokens === 0) return together(judged, notApplicable("The provider reports no reasoning tokens."));
  const told = `${reasoningTokens} of ${outputTokens} output tokens were reasoning.`;
  const left = leftFinding(await stage.ask(asked, { afterMs: LEAVE_AFTER_MS }));
  const notes = [
    told,
    ...(left.skipped === null ? [] : ["The second response was complete before the client disconnected."]),
  ];
  return together(judged, { ...left, skipped: null }, { faults: [], notes, skipped: null });
}
