import { setTimeout as sleep } from "node:timers/promises";
import type { Attempt } from "./attempt.ts";
import { LONGEST_STRETCH_MS } from "../support/stretch/stretches.ts";
import { type LockoutResult, runLockout } from "./run-lockout.ts";
import { type PriceResult, runPrice } from "./run-price.ts";
import { runSmuggle, type SmuggleResult } from "./run-smuggle.ts";
import type { Delays } from "./neighbour-process.ts";
import type { Stage } from "./stage.ts";

/** `alone`: nothing else runs, so that what others feel is this attempt's doing. */
export type Form = { windowMs: number; scale: number; alone: boolean };
export const LONG: Form = { windowMs: 4_000, scale: 1, alone: true };
export const SHORT: Form = { windowMs: 2_000, scale: 0.25, alone: true };
export const BESIDE_OTHERS: Form = { ...SHORT, alone: false };

/** What came of an attempt. */
export type Result = {
  attempt: Attempt;
  held: boolean;
  why: string;
  tookMs: number;
  /** How often it was run: a busy machine may make somebody wait, or a provider stop late. */
  runs: number;
  /** What the neighbour felt while it ran. */
  neighbour: Delays;
  /** The longest work of the main thread at once, in milliseconds of processor time. */
  stretchMs: number;
  /** What others felt that nobody should. */
  felt: string[];
  lanes: PriceResult[];
  smuggled: SmuggleResult | null;
  lockout: LockoutResult | null;
};

const MOST_RUNS = 6;

/** More than a provider that stops late makes a difference, in percent. */
const BEYOND_NOISE = 10;

/** Runs an attempt until it holds, where a busy machine may be why it did not. What is gained for another reason is told at once. */
export async function runAttempt(stage: Stage, attempt: Attempt, form: Form): Promise<Result> {
  for (let runs = 1; ; runs += 1) {
    const result = await runOnce(stage, attempt, form);
    const noise = result.lanes.every(({ held, percent }) => held || (percent > 0 && percent < BEYOND_NOISE));
    if (result.held || !noise || result.smuggled !== null || runs === MOST_RUNS) return { ...result, runs };
    await sleep(1_000);
  }
}

async function runOnce(stage: Stage, attempt: Attempt, form: Form): Promise<Omit<Result, "runs">> {
  const fromMs = Date.now();
  stage.gateway.stretches.take();
  const outcome = await outcomeOf(stage, attempt, form);
  const toMs = Date.now();
  const neighbour = outcome.lockout?.during ?? (await stage.neighbour.during(fromMs, toMs));
  const stretchMs = outcome.lockout?.stretchMs ?? stage.gateway.stretches.longest()?.ms ?? 0;
  const felt = [
    ...(neighbour.refused > 0 ? [`${neighbour.refused} of the neighbour's requests were refused`] : []),
    ...(stretchMs > LONGEST_STRETCH_MS ? [`the main thread worked ${stretchMs.toFixed(0)} ms at once`] : []),
  ];
  const held = outcome.held && (felt.length === 0 || !form.alone);
  return { attempt, tookMs: toMs - fromMs, neighbour, stretchMs, ...outcome, felt: form.alone ? felt : [], held };
}

type Outcome = Pick<Result, "held" | "why" | "lanes" | "smuggled" | "lockout">;

async function outcomeOf(stage: Stage, attempt: Attempt, form: Form): Promise<Outcome> {
  const none = { lanes: [], smuggled: null, lockout: null };
  switch (attempt.kind) {
    case "price": {
      const lanes = await runPrice(stage, attempt);
      const worst = lanes.toSorted(
        (left, right) => Number(left.held) - Number(right.held) || right.percent - left.percent,
      )[0];
      return { ...none, lanes, held: lanes.every(({ held }) => held), why: worst?.why ?? "no lane" };
    }
    case "smuggle": {
      const smuggled = await runSmuggle(stage, attempt);
      const { reached } = smuggled;
      return { ...none, smuggled, held: reached.length === 0, why: reached[0] ?? "nothing arrived" };
    }
    case "lockout": {
      const lockout = await runLockout(stage, attempt, form);
      return { ...none, lockout, held: lockout.held, why: lockout.why };
    }
  }
  return attempt satisfies never;
}
