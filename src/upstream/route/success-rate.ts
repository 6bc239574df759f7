import type { Clock } from "../../core/clock.ts";

const HALF_LIFE_MS = 15_000;
/** Successes assumed of a route nothing is known of. They give a route the benefit of the doubt, and let one that is no longer asked recover. */
const ASSUMED = 10;

export type SuccessRate = { add: (result: "success" | "failure") => void; value: () => number };

/** The share of calls that succeeded lately: what is older than a quarter of a minute counts half, and so on. */
export function createSuccessRate({ elapsedMs }: Pick<Clock, "elapsedMs">): SuccessRate {
  let good = 0;
  let all = 0;
  let decayedAtMs = elapsedMs();

  function decay(): void {
    const nowMs = elapsedMs();
    const factor = 2 ** ((decayedAtMs - nowMs) / HALF_LIFE_MS);
    good *= factor;
    all *= factor;
    decayedAtMs = nowMs;
  }

  return {
    add: (result) => {
      decay();
      all++;
      if (result === "success") good++;
    },
    value: () => {
      decay();
      return (good + ASSUMED) / (all + ASSUMED);
    },
  };
}
