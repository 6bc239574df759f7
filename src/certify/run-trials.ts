import { formatCredits } from "../core/money/money.ts";
import type { TextCounter } from "../tokens/count-tokens.ts";
import { boundOf, boundsOf } from "./bound.ts";
import type { CallGateway, Leaving, Reply } from "./call-gateway.ts";
import type { SubjectReport, TrialReport } from "./certificate.ts";
import type { ProviderExchange, Tap } from "./exchange.ts";
import { type ExamineStream, type Figures, judge } from "./judge.ts";
import { bodyOf, type Question } from "./questions.ts";
import { readReply } from "./read-reply.ts";
import { reportedUsage } from "./reported-usage.ts";
import { type SpendGuard, SpendReached } from "./spend-guard.ts";
import { type AnsweredQuestion, type Finding, notApplicable, type Stage, type Subject, type Trial } from "./trial.ts";

export type Charge = NonNullable<AnsweredQuestion["charge"]>;

export type RunParts = {
  call: CallGateway;
  tap: Tap;
  guard: SpendGuard;
  /** What the ledger charged for a request; null when nothing. `wait`: it may not have settled yet. */
  readCharge: (requestId: string, how: "now" | "wait") => Promise<Charge | null>;
  examine: ExamineStream;
  count: TextCounter;
  leakIn: (text: string) => string | null;
  timeoutMs: number;
  sleep: (ms: number) => Promise<void>;
  /** Is told of every trial that has ended. */
  onTrial: (subject: Subject, report: TrialReport) => void;
  /** Is given what came from the provider. */
  record: (recorded: { subject: Subject; trial: Trial; exchanges: readonly ProviderExchange[] }) => void;
};

/** Under this name the model of a trial is published: one route each, so that none suffers from the failures of another. */
export const trialModel = (subject: Pick<Subject, "modelId" | "dialect">, trial: Pick<Trial, "id">): string =>
  `${subject.modelId}:${subject.dialect}:${trial.id}`;

/** A provider that asks us to wait is waited for, within reason. */
const MOST_WAITS = 4;
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 2_000;
/** A provider that is away stays away for the other trials too. */
const MOST_SILENT_TRIALS = 2;
const SETTLE_MS = 5_000;

type Account = {
  calls: number;
  chargedNano: bigint;
  firstByteMs: number | null;
  silent: boolean;
  figures: Figures[];
  exchanges: ProviderExchange[];
};

export async function runTrials(
  parts: RunParts,
  subject: Subject,
  trials: readonly Trial[],
  before: string | null = null,
): Promise<{ report: SubjectReport; stopped: string | null }> {
  const reports: TrialReport[] = [];
  const figures: Figures[] = [];
  const exchanges: ProviderExchange[] = [];
  let stopped = before;
  let silent = 0;
  for (const trial of trials) {
    const account: Account = {
      calls: 0,
      chargedNano: 0n,
      firstByteMs: null,
      silent: false,
      figures: [],
      exchanges: [],
    };
    let finding: Finding;
    if (stopped !== null) finding = notApplicable(`Not run. ${stopped}`);
    else if (silent >= MOST_SILENT_TRIALS)
      finding = notApplicable(`Not run. The provider did not respond in ${MOST_SILENT_TRIALS} trials.`);
    else ({ finding, stopped } = await runTrial(parts, { subject, trial, account }));
    silent = account.silent ? silent + 1 : silent;
    figures.push(...account.figures);
    exchanges.push(...account.exchanges);
    parts.record({ subject, trial, exchanges: account.exchanges });
    const report = reportOf(trial, finding, account);
    reports.push(report);
    parts.onTrial(subject, report);
    if (stopped === null && trial.target === "model" && isRejected(account))
      stopped = "The provider rejects the credential.";
  }
  const headers = rateLimitReport(exchanges);
  parts.onTrial(subject, headers);
  const { modelId, upstreamModel, dialect, conformant } = subject;
  return { report: { modelId, upstreamModel, dialect, conformant, trials: [...reports, headers], figures }, stopped };
}

type Run = { subject: Subject; trial: Trial; account: Account };

async function runTrial(parts: RunParts, run: Run): Promise<{ finding: Finding; stopped: string | null }> {
  try {
    return { finding: await run.trial.run(stageOf(parts, run)), stopped: null };
  } catch (error) {
    if (!(error instanceof SpendReached)) throw error;
    return { finding: { faults: [error.message], notes: [], skipped: null }, stopped: error.message };
  }
}

function stageOf(parts: RunParts, { subject, trial, account }: Run): Stage {
  const { client } = trial;
  const allowed = boundsOf(subject, trial);
  const judgeParts = { ...parts, subject, client };
  return {
    subject,
    client,
    timeoutMs: parts.timeoutMs,
    ask: async (asked, leave) => {
      const model = trialModel(subject, trial);
      const body = isQuestion(asked) ? bodyOf(client, model, asked) : { ...asked, model };
      const boundNano = trial.free ? 0n : boundOf(subject, { dialect: client, body });
      if (!trial.free && boundNano > (allowed[account.calls] ?? 0n) + slackOf(subject))
        throw new SpendReached(
          `A turn of this trial could cost ${formatCredits(boundNano)} credits, more than planned.`,
        );
      account.calls++;
      const { reply, exchanges } = await askOnce(parts, { body, boundNano, ...(leave ? { leave } : {}), client });
      return settle(parts, { subject, account, client, reply, exchanges, body, boundNano });
    },
    judge: async (asked) => {
      const { figures, ...finding } = await judge(judgeParts, asked);
      if (figures !== null) account.figures.push(figures);
      return finding;
    },
  };
}

/** The names of trials are longer than that of the model, by which the plan was made. */
const slackOf = ({ tariff }: Subject): bigint => (tariff.inputNano * 2n * 64n) / 1_000_000n + 1n;

const isQuestion = (asked: Question | Record<string, unknown>): asked is Question => "outputTokens" in asked;

type Sending = { body: Record<string, unknown>; boundNano: bigint; leave?: Leaving; client: Trial["client"] };

/** Asks again while the provider says that it has had enough, and waits as it asks. */
async function askOnce(
  { call, tap, guard, timeoutMs, sleep }: RunParts,
  sending: Sending,
): Promise<{ reply: Reply; exchanges: ProviderExchange[] }> {
  const { body, boundNano, leave, client } = sending;
  const exchanges: ProviderExchange[] = [];
  tap.take();
  for (let waits = 0; ; waits++) {
    guard.reserve(boundNano);
    const reply = await call({ dialect: client, body, timeoutMs: 2 * timeoutMs, ...(leave ? { leave } : {}) });
    await tap.settled(SETTLE_MS);
    exchanges.push(...tap.take());
    const last = exchanges.at(-1);
    if (last?.status !== 429 || waits >= MOST_WAITS) return { reply, exchanges };
    await sleep(waitMs(last, waits));
  }
}

function waitMs({ headers }: ProviderExchange, waits: number): number {
  const seconds = Number(headers["retry-after"]);
  const asked = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : FIRST_WAIT_MS * 2 ** waits;
  return Math.min(LONGEST_WAIT_MS, asked);
}

type Answered = {
  subject: Subject;
  account: Account;
  client: Trial["client"];
  reply: Reply;
  exchanges: ProviderExchange[];
  body: Record<string, unknown>;
  boundNano: bigint;
};

async function settle(parts: RunParts, answered: Answered): Promise<AnsweredQuestion> {
  const { subject, account, client, reply, exchanges, body, boundNano } = answered;
  const exchange = exchanges.at(-1) ?? null;
  const charge = reply.requestId === null ? null : await parts.readCharge(reply.requestId, reply.left ? "wait" : "now");
  account.exchanges.push(...exchanges);
  account.chargedNano += charge?.nano ?? 0n;
  account.firstByteMs ??= reply.firstByteMs;
  account.silent ||= exchange !== null && exchange.status === null;
  parts.guard.settle(subject, exchanges, boundNano);
  return {
    body,
    reply,
    read: readReply(client, reply.text),
    exchange,
    usage: exchange === null ? null : reportedUsage(subject, exchange.text).usage,
    charge,
    boundNano,
  };
}

function reportOf(trial: Trial, { faults, notes, skipped }: Finding, account: Account): TrialReport {
  const outcome = faults.length > 0 ? "failed" : skipped === null ? "passed" : "not_applicable";
  return {
    id: trial.id,
    title: trial.title,
    client: trial.client,
    outcome,
    reasons: faults.length > 0 ? faults : skipped === null ? [] : [skipped],
    notes,
    calls: account.calls,
    chargedNano: account.chargedNano,
    firstByteMs: account.firstByteMs,
  };
}

/** In a trial of the real credential. */
const isRejected = ({ exchanges }: Account): boolean =>
  exchanges.length > 0 && exchanges.every(({ status }) => status === 401);

const RATE_HEADER = /ratelimit|^retry-after/i;

/** Only their names: how much an account may do is nobody else's business. */
function rateLimitReport(exchanges: readonly ProviderExchange[]): TrialReport {
  const names = new Set(
    exchanges.flatMap(({ headers }) => Object.keys(headers).filter((name) => RATE_HEADER.test(name))),
  );
  const limited = exchanges.filter(({ status }) => status === 429).length;
  return {
    id: "rate-limits",
    title: "rate limit headers",
    client: null,
    outcome: names.size > 0 ? "passed" : "not_applicable",
    reasons: names.size > 0 ? [] : ["The provider sends none."],
    notes: [
      ...(names.size > 0 ? [[...names].toSorted().join(", ")] : []),
      ...(limited > 0 ? [`${limited} calls got 429 and were repeated.`] : []),
    ],
    calls: 0,
    chargedNano: 0n,
    firstByteMs: null,
  };
}
