import fc from "fast-check";
import { bodyCases } from "./body-cases.ts";
import type { FuzzCase } from "./fuzz-case.ts";
import { headCases } from "./head-cases.ts";
import { createJudge } from "./judge.ts";
import { createPlayer } from "./play-case.ts";
import { rawCases, SLOW_CASES } from "./raw-cases.ts";
import type { FuzzStage } from "./stage.ts";
import { longer, type Stretch } from "../support/stretch/stretches.ts";
import { createTally, type Tally } from "./tally.ts";
import { residentKib, vitalProblems } from "./vital-signs.ts";

/** A case that broke a promise, as small as it could be made. */
export type Failure = { fuzzCase: FuzzCase; problems: string[]; seed: number; index: number };

export type FuzzReport = {
  seed: number;
  requests: number;
  seconds: number;
  tally: Tally;
  failures: readonly Failure[];
  /** What was wrong with the gateway and not with an answer. */
  vital: readonly string[];
  /** Median of memory in the second quarter of the run, and in the last. */
  residentKib: { early: number; late: number };
  /** The longest stretch for which the gateway's main thread was kept busy. */
  longestStretch: Stretch | null;
};

type Plan = {
  stage: FuzzStage;
  seed: number;
  requests: number;
  /** Ends sooner when this time is over. */
  limitMs?: number;
  progress: (text: string) => void;
};

const BATCH = 500;
const IN_FLIGHT = 16;
const DEADLINE_MS = 20_000;
const MOST_FAILURES = 10;
const SHRINK_LIMIT_MS = 20_000;
/** After how many requests slow callers come by. */
const SLOW_EVERY = 50_000;

const cases = fc.oneof(
  { weight: 75, arbitrary: bodyCases },
  { weight: 15, arbitrary: headCases },
  { weight: 10, arbitrary: rawCases },
);

/** Batch after batch of cases, each judged by itself, and the gateway after each batch. */
export async function fuzz({ stage, seed, requests, limitMs = Infinity, progress }: Plan): Promise<FuzzReport> {
  const player = createPlayer({ ...stage, deadlineMs: DEADLINE_MS });
  const judge = createJudge();
  const tally = createTally();
  const failures: Failure[] = [];
  const vital: string[] = [];
  const memory: number[] = [];
  let longestStretch: Stretch | null = null;
  const startedMs = performance.now();

  const problemsOf = async (fuzzCase: FuzzCase): Promise<string[]> => {
    const played = await player.play(fuzzCase);
    tally.add(fuzzCase, played);
    return judge(fuzzCase, played);
  };

  const runAll = async (batch: readonly FuzzCase[], batchSeed: number): Promise<void> => {
    const queue = batch.entries();
    const work = async (): Promise<void> => {
      for (const [index, fuzzCase] of queue) {
        const problems = await problemsOf(fuzzCase);
        if (problems.length > 0) failures.push({ fuzzCase, problems, seed: batchSeed, index });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  };

  const goOn = (done: number): boolean =>
    done < requests && performance.now() - startedMs < limitMs && failures.length < MOST_FAILURES && vital.length === 0;

  for (let done = 0; goOn(done); done += BATCH) {
    const batchSeed = seed + done / BATCH;
    await runAll(fc.sample(cases, { seed: batchSeed, numRuns: BATCH }), batchSeed);
    if (done % SLOW_EVERY === 0) await Promise.all(SLOW_CASES.map((slow) => runAll([slow], batchSeed)));
    vital.push(...(await vitalProblems(stage)));
    memory.push(residentKib(stage));
    longestStretch = longer(longestStretch, stage.gateway.stretches.longest());
    if (done % (BATCH * 10) === 0)
      progress(`${done + BATCH} of ${requests}, ${memory.at(-1)} KiB, ${failures.length} failures`);
  }
  const shrunk: Failure[] = [];
  for (const failure of failures) shrunk.push(stage.gateway.alive() ? await shrink(failure, problemsOf) : failure);
  player.close();
  return {
    seed,
    requests: tally.requests(),
    seconds: (performance.now() - startedMs) / 1_000,
    tally,
    failures: shrunk,
    vital,
    residentKib: { early: median(memory, 0.25, 0.5), late: median(memory, 0.75, 1) },
    longestStretch,
  };
}

/** The smallest case near a failing one that still fails, within a time; what cannot be made to fail again is kept as it was. */
async function shrink(failure: Failure, problemsOf: (fuzzCase: FuzzCase) => Promise<string[]>): Promise<Failure> {
  let smallest = failure;
  const property = fc.asyncProperty(cases, async (fuzzCase) => {
    const problems = await problemsOf(fuzzCase);
    if (problems.length === 0) return;
    smallest = { ...failure, fuzzCase, problems };
    throw new Error(problems.join("\n"));
  });
  await fc.check(property, {
    seed: failure.seed,
    path: String(failure.index),
    numRuns: 1,
    interruptAfterTimeLimit: SHRINK_LIMIT_MS,
    markInterruptAsFailure: false,
  });
  return smallest;
}

function median(values: readonly number[], from: number, to: number): number {
  const part = values.slice(Math.floor(values.length * from), Math.max(1, Math.ceil(values.length * to)));
  return part.toSorted((one, other) => one - other)[Math.floor(part.length / 2)] ?? 0;
}
