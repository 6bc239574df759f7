import type { Clock } from "../../core/clock.ts";

/** Keys known to be over their rate, and until when. They are refused from memory, so that a flood of them costs no call. */
export type RateDenials = {
  /** How long the key is still over its rate; 0 when it is not known to be. */
  remainingMs: (keyId: string) => number;
  /** `askedAtMs`: when the ledger was asked. Counted from there, the time is over here no later than there. */
  note: (keyId: string, denial: { forMs: number; askedAtMs: number }) => void;
  elapsedMs: () => number;
  /** A key that has changed may have another limit; null forgets all. */
  forget: (keyId: string | null) => void;
};

const MOST_KEYS = 100_000;

export function createRateDenials(clock: Pick<Clock, "elapsedMs">): RateDenials {
  const untilMs = new Map<string, number>();
  return {
    remainingMs: (keyId) => {
      const until = untilMs.get(keyId);
      if (until === undefined) return 0;
      const remaining = until - clock.elapsedMs();
      if (remaining <= 0) untilMs.delete(keyId);
      return Math.max(0, remaining);
    },
    note: (keyId, { forMs, askedAtMs }) => {
      untilMs.delete(keyId);
      untilMs.set(keyId, askedAtMs + forMs);
      const [oldest] = untilMs.keys();
      if (untilMs.size > MOST_KEYS && oldest !== undefined) untilMs.delete(oldest);
    },
    elapsedMs: () => clock.elapsedMs(),
    forget: (keyId) => {
      if (keyId === null) untilMs.clear();
      else untilMs.delete(keyId);
    },
  };
}
