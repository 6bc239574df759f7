import type { Clock } from "../../core/clock.ts";

const HALF_LIFE_MS = 15_000;
/** Operators are told sooner than routes are chosen by it. */
const SHOWN_HALF_LIFE_MS = 3_000;
/** Successes assumed of a route nothing is known of. They give a route the benefit of the doubt, and let one that is no longer asked recover. */
const ASSUMED = 10;

type Share = { add: (result: "success" | "failure") => void; value: () => number };

/** `shown`: the smaller of the share of the last moments and the value, which is worse as soon as calls fail. */
export type SuccessRate = Share & { shown: () => number };

/** The share of calls that succeeded lately: what is older than a quarter of a minute counts half, and so on. */
export function createSuccessRate(clock: Pick<Clock, "elapsedMs">): SuccessRate {
  const usual = createShare(clock, HALF_LIFE_MS);
  const latest = createShare(clock, SHOWN_HALF_LIFE_MS);
  return {
    add: (result) => {
      usual.add(result);
      latest.add(result);
    },
    value: usual.value,
    shown: () => Math.min(usual.value(), latest.value()),
  };
}

function createShare({ elapsedMs }: Pick<Clock, "elapsedMs">, halfLifeMs: number): Share {
  let good = 0;
  let all = 0;
  let decayedAtMs = elapsedMs();

  function decay(): void {
    const nowMs = elapsedMs();
    const factor = 2 ** ((decayedAtMs - nowMs) / halfLifeMs);
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
