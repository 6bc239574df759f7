import { boundsOf } from "./bound.ts";
import { sufficientFor } from "./spend-guard.ts";
import type { Subject, Trial } from "./trial.ts";
import { trialsFor } from "./trials.ts";

export type PlannedSubject = { subject: Subject; trials: readonly Trial[] };

/** What a run will ask, and the most it can cost. */
export type Plan = {
  subjects: readonly PlannedSubject[];
  calls: number;
  /** The sum of what every call costs at most. */
  boundNano: bigint;
  /** What must be allowed: the sum, and one call that is made twice. */
  sufficientNano: bigint;
};

export function planTrials(subjects: readonly Subject[], random: () => number): Plan {
  const planned = subjects.map((subject) => ({ subject, trials: trialsFor(subject, random) }));
  const bounds = planned.flatMap(({ subject, trials }) => trials.flatMap((trial) => boundsOf(subject, trial)));
  return {
    subjects: planned,
    calls: bounds.length,
    boundNano: bounds.reduce((sum, bound) => sum + bound, 0n),
    sufficientNano: sufficientFor(bounds),
  };
}
