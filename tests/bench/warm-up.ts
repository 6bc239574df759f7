import { isFlat } from "./flatness.ts";
import { measureSlice, type SliceRequest } from "./slice.ts";
import type { Stage } from "./stage.ts";
import type { Subject } from "./subject.ts";

const SLICE_MS = 500;

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

const secondsText = (startedMs: number): string => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;

const ends = (costs: readonly number[]): string =>
  `${Math.round(costs[0] ?? 0)} → ${Math.round(costs.at(-1) ?? 0)} µs of processor time per request`;
