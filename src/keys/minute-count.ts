import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";

/** Counts what somebody does within a minute, and says how long they must wait once it was enough. */
export type MinuteCount = {
  /** How long until the next is allowed; 0 when it is now. */
  waitMs: (name: string) => number;
  note: (name: string) => void;
};

const WINDOW_MS = 60_000;
const MOST_NAMES = 10_000;

type Tally = { count: number; endsMs: number };

/** 0 per minute: no limit. */
export function createMinuteCount({ clock, perMinute }: { clock: Clock; perMinute: number }): MinuteCount {
  const tallies = new LRUCache<string, Tally>({ max: MOST_NAMES });
  const current = (name: string): Tally | null => {
    const tally = tallies.get(name);
    return tally === undefined || tally.endsMs <= clock.elapsedMs() ? null : tally;
  };
  return {
    waitMs: (name) => {
      const tally = perMinute === 0 ? null : current(name);
      return tally === null || tally.count < perMinute ? 0 : tally.endsMs - clock.elapsedMs();
    },
    note: (name) => {
      const tally = current(name) ?? { count: 0, endsMs: clock.elapsedMs() + WINDOW_MS };
      tally.count++;
      tallies.set(name, tally);
    },
  };
}
