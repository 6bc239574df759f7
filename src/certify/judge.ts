import type { ClientDialect, ProviderDialect } from "../core/request/dialect.ts";
import type { Examination } from "../core/catalogue/probe.ts";
import { formatCredits } from "../core/money/money.ts";
import { chargeOf } from "../core/money/pay-rate.ts";
import { scrub } from "../core/secret/scrub.ts";
import { countInput } from "../tokens/count-input.ts";
import type { TextCounter } from "../tokens/count-tokens.ts";
import { readModelInput } from "../wire/model-input.ts";
import { impossibleCache, reportedUsage } from "./reported-usage.ts";
import { isStream, member, objectIn, textIn } from "./read-events.ts";
import type { AnsweredQuestion, Finding, Subject } from "./trial.ts";

/** Holds a stream against the rules of its format. */
export type ExamineStream = (dialect: ProviderDialect, text: string) => Examination;

/** How many tokens were reported, and how many our tokenizer counts. */
export type Figures = { inputReported: number; inputCounted: number; outputReported: number; outputCounted: number };

type Parts = {
  subject: Subject;
  client: ClientDialect;
  examine: ExamineStream;
  count: TextCounter;
  /** Names the form in which a credential stands in a text; null when none does. */
  leakIn: (text: string) => string | null;
  timeoutMs: number;
};

/** Rules whose breach no normalising repairs: the answer is not whole, or nobody can tell. */
const ESSENTIAL = /DONE|message_stop|response\.completed|finish_?reason|stop_reason|JSON object/i;
/** Vocabularies differ; past this factor and this many tokens it is no vocabulary. */
const FACTOR = 2;
/** Providers write up to 600 tokens of their own before a request with tools. */
const SLACK_TOKENS = { input: 640, output: 24 } as const;

/** What is wrong with an answer, whatever was asked. */
export async function judge(parts: Parts, asked: AnsweredQuestion): Promise<Finding & { figures: Figures | null }> {
  const { subject } = parts;
  const { exchange, reply } = asked;
  const faults = [...leaks(parts, asked)];
  const failed = (fault: string) => ({ faults: [...faults, fault], notes: [], skipped: null, figures: null });
  if (exchange === null)
    return failed(`Tollgate returned ${reply.status ?? "nothing"} without a call to the provider.`);
  const seconds = Math.round(parts.timeoutMs / 1_000);
  if (exchange.status === null) {
    return failed(
      exchange.end === "failed"
        ? "The connection failed before a response."
        : `The provider did not respond within ${seconds} s.`,
    );
  }
  if (exchange.status !== 200)
    return failed(`The provider returned ${exchange.status}${wordsOf(exchange.text, subject)}`);
  const error = objectIn(exchange.text)?.["error"];
  if (error !== undefined && error !== null)
    return failed("The provider returned status 200 with an error in the body.");
  if (exchange.end === "failed") faults.push(`The connection broke mid-response, after ${exchange.text.length} bytes.`);
  if (exchange.end === "abandoned" && !reply.left) faults.push(`The response stopped: no bytes for ${seconds} s.`);
  const streams = streamFindings(parts, asked);
  const usage = await usageFindings(parts, asked);
  return {
    faults: [...faults, ...streams.faults, ...usage.faults],
    notes: [...streams.notes, ...usage.notes],
    skipped: null,
    figures: usage.figures,
  };
}

function leaks({ leakIn }: Parts, { exchange, reply }: AnsweredQuestion): string[] {
  const sent = exchange === null ? null : leakIn(exchange.text);
  const passed = leakIn(reply.text);
  return [
    ...(sent === null ? [] : [`The provider sent the credential back ${sent}.`]),
    ...(passed === null ? [] : [`Tollgate passed the credential to its client ${passed}.`]),
  ];
}

/** What a provider said of its refusal, as far as anybody may read it. */
export function wordsOf(text: string, { upstreamModel }: Pick<Subject, "upstreamModel">): string {
  const answer = objectIn(text.replace(/^\[|\]$/g, ""));
  const message = textIn(answer, "error", "message") || textIn(answer, "message") || textIn(answer, "error");
  return message === "" ? "." : `: ${scrub(message, upstreamModel).slice(0, 200).replaceAll(/\s+/g, " ")}`;
}

function streamFindings(
  { subject, client, examine }: Parts,
  { exchange, reply }: AnsweredQuestion,
): Pick<Finding, "faults" | "notes"> {
  if (exchange === null || reply.left || !isStream(exchange.text)) return { faults: [], notes: [] };
  const broken = examine(subject.dialect, exchange.text).broken;
  const isFault = (rule: string): boolean => subject.conformant || ESSENTIAL.test(rule);
  const ours =
    reply.status === 200 && isStream(reply.text) && !hasError(reply.text) ? examine(client, reply.text).broken : [];
  const repaired = broken.filter((rule) => !isFault(rule));
  return {
    faults: [
      ...broken.filter(isFault).map((rule) => `The provider's stream breaks a rule: ${rule}.`),
      ...ours.map((rule) => `Tollgate's stream breaks a rule: ${rule}.`),
    ],
    notes: repaired.length === 0 ? [] : [`Tollgate normalises: ${repaired.join("; ")}.`],
  };
}

/** A stream that ends in an error has no end of its own. */
const hasError = (text: string): boolean => /"error":\s*\{/.test(text) || /^event: error$/m.test(text);

async function usageFindings(
  parts: Parts,
  asked: AnsweredQuestion,
): Promise<Pick<Finding, "faults" | "notes"> & { figures: Figures | null }> {
  const { subject, client, count } = parts;
  const { exchange, reply, charge, read } = asked;
  const faults: string[] = [];
  const notes: string[] = [];
  if (exchange === null || reply.left) return { faults, notes: [], figures: null };
  const { usage, raw } = reportedUsage(subject, exchange.text);
  const cache = impossibleCache(subject.dialect, raw);
  if (cache !== null) faults.push(`The provider reports ${cache.cached} cached tokens of ${cache.input} input tokens.`);
  if (usage === null) {
    faults.push(
      raw === null
        ? "The provider reports no usage; Tollgate charged its own estimate."
        : "The provider reports a usage that cannot be true; Tollgate charged its own estimate.",
    );
    return { faults, notes: [], figures: null };
  }
  const expected = chargeOf(subject.tariff, usage);
  // A price may have other amounts in some hours; which of them were charged is the gateway's to say.
  const peak = chargeOf(subject.tariff, usage, undefined, true);
  if (charge !== null && charge.nano !== expected && charge.nano !== peak) {
    faults.push(
      `Tollgate charged ${formatCredits(charge.nano)} credits; the reported usage costs ${formatCredits(expected)}.`,
    );
  }
  const counted = await countInput(
    readModelInput({ dialect: client, bytes: Buffer.from(JSON.stringify(asked.body)) }),
    count,
  );
  const spoken = read.text + read.calls.map(({ name, arguments: words }) => name + words).join("");
  const figures: Figures = {
    inputReported: usage.inputTokens,
    inputCounted: counted,
    outputReported: usage.outputTokens - usage.reasoningTokens,
    outputCounted: count(spoken),
  };
  for (const [what, reported, own] of [
    ["input", figures.inputReported, figures.inputCounted],
    ["output", figures.outputReported, figures.outputCounted],
  ] as const)
    if (isFar(reported, own, SLACK_TOKENS[what])) {
      // Some count reasoning in the output and nowhere else.
      const list = what === "output" && reported > own && subject.capabilities["reasoning"] === true ? notes : faults;
      list.push(`The provider reports ${reported} ${what} tokens; Tollgate's tokenizer counts ${own}.`);
    }
  return { faults, notes, figures };
}

const isFar = (reported: number, own: number, slack: number): boolean =>
  reported > own * FACTOR + slack || reported < own / FACTOR - slack;

/** Whether an error of ours has the shape of its format. */
export function hasErrorShape(client: ClientDialect, text: string): boolean {
  const answer = objectIn(text);
  if (textIn(answer, "error", "message") === "") return false;
  return client === "messages" ? textIn(answer, "type") === "error" : member(answer, "error", "type") !== undefined;
}
