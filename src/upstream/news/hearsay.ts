import type { Clock } from "../../core/clock.ts";

/** What others say against a route: doubted for a while, then not for a while, so that no number of messages keeps a route in doubt. */
export type Hearsay = {
  /** False: it was too early for that, or is believed already. */
  believe: (forMs: number) => boolean;
  isBelieved: () => boolean;
  remainingMs: () => number;
  /** This process knows better. */
  refuted: () => void;
};

/** Once doubted, it is not doubted again for so long after that ended. */
const IMMUNE_MS = 30_000;

export function createHearsay({ elapsedMs }: Pick<Clock, "elapsedMs">, mostMs: number): Hearsay {
  let untilMs = Number.NEGATIVE_INFINITY;
  const remainingMs = (): number => Math.max(0, untilMs - elapsedMs());

  return {
    believe: (forMs) => {
      if (elapsedMs() < untilMs + IMMUNE_MS) return false;
      untilMs = elapsedMs() + Math.min(mostMs, forMs);
      return true;
    },
    isBelieved: () => remainingMs() > 0,
    remainingMs,
    refuted: () => {
      if (remainingMs() > 0) untilMs = elapsedMs();
    },
  };
}
