import type { CoreShares } from "./core-shares.ts";
import { isFlat } from "./flatness.ts";
import { probe } from "./probe.ts";
import { type Kind, measureSlice, type SliceRequest } from "./slice.ts";
import type { Stage } from "./stage.ts";
import type { Subject } from "./subject.ts";
import { lacksLoad } from "./validity.ts";

const SLICE_MS = 500;
const FILLING_SLICES = 3;
const MOST_CONNECTIONS = 256;

/** Loads a subject until processor time per request is flat, for as long as the options allow. */
export async function warmUp(stage: Stage, subject: Subject, request: SliceRequest): Promise<void> {
  const startedMs = performance.now();
  const costs: number[] = [];
  while (!isFlat(costs)) {
    if (performance.now() - startedMs > stage.options.warmupMs) {
      stage.progress(`  warm-up ${subject.name.padEnd(8)} not flat after ${secondsText(startedMs)}: ${ends(costs)}`);
      return;
    }
    const { result, used } = await measureSlice(stage, subject, { ...request, durationMs: SLICE_MS });
    if (result.failures > 0) {
      const failed = `${result.failures} of ${result.requests} answers failed, the first with ${result.firstFailure}`;
      stage.progress(`  warm-up ${subject.name.padEnd(8)} ${failed}`);
    }
    costs.push((used.subject.mainMicros + used.subject.otherMicros) / Math.max(1, result.requests));
  }
  stage.progress(`  warm-up ${subject.name.padEnd(8)} flat after ${secondsText(startedMs)}: ${ends(costs)}`);
}

/** Loads every subject with chat completions, for phases in which a load as low as theirs would leave them cold. */
export async function warmUpAll(stage: Stage, kind: Kind): Promise<void> {
  for (const subject of stage.subjects) {
    const expected = await probe(subject, { dialect: "chat", kind });
    await warmUp(stage, subject, { mode: "closed", dialect: "chat", kind, model: subject.models[kind], expected });
  }
}

/**
 * How many connections it takes to fill the core of every gateway: as many as asked for, or twice or four times that. A gateway
 * that waits for its database needs more of them than one that waits for nothing, and all get the same.
 */
export async function connectionsToFill(stage: Stage, requestFor: (subject: Subject) => SliceRequest): Promise<number> {
  let connections = stage.options.connections;
  for (const subject of stage.subjects) {
    while (connections * 2 <= MOST_CONNECTIONS) {
      const shares: CoreShares[] = [];
      for (let slice = 0; slice < FILLING_SLICES; slice += 1) {
        const request = { ...requestFor(subject), connections, durationMs: SLICE_MS };
        shares.push((await measureSlice(stage, subject, request)).shares);
      }
      if (!lacksLoad(shares)) break;
      connections *= 2;
      stage.progress(`  ${subject.name} is idle at times: ${connections} connections for all`);
    }
  }
  return connections;
}

const secondsText = (startedMs: number): string => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;

const ends = (costs: readonly number[]): string =>
  `${Math.round(costs[0] ?? 0)} → ${Math.round(costs.at(-1) ?? 0)} µs of processor time per request`;
