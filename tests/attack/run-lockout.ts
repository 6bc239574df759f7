import { setTimeout as sleep } from "node:timers/promises";
import type { Stretch } from "../support/stretch/stretches.ts";
import type { LockoutAttempt } from "./attempt.ts";
import { lockoutModelOf } from "./models.ts";
import type { Delays } from "./neighbour-process.ts";
import type { Stage } from "./stage.ts";
import { judgeNeighbour } from "./verdict.ts";

export type LockoutResult = {
  before: Delays;
  during: Delays;
  /** The longest work the main thread did at once, in processor time. */
  stretchMs: number;
  did: string;
  held: boolean;
  why: string;
};

export async function runLockout(
  stage: Stage,
  attempt: LockoutAttempt,
  { windowMs, scale }: { windowMs: number; scale: number },
): Promise<LockoutResult> {
  const quietFromMs = Date.now();
  await sleep(windowMs);
  const before = await stage.neighbour.during(quietFromMs, Date.now());

  stage.gateway.stretches.take();
  const stop = new AbortController();
  const fromMs = Date.now();
  const attack = attempt.run({ stage, model: lockoutModelOf(attempt), signal: stop.signal, scale });
  await Promise.race([sleep(windowMs), attack.catch(() => undefined).then(() => sleep(windowMs / 2))]);
  const toMs = Date.now();
  stop.abort();
  let broke = "";
  const did = await attack.catch((error: unknown) => (broke = error instanceof Error ? error.message : String(error)));
  const during = await stage.neighbour.during(fromMs, toMs);
  const longest = stage.gateway.stretches.take().reduce((most, { ms }: Stretch) => Math.max(most, ms), 0);

  const neighbour = judgeNeighbour(before, during);
  const why = broke === "" ? neighbour.why : broke;
  return { before, during, stretchMs: longest, did, held: neighbour.held && broke === "", why };
}
