import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import { placeOf } from "../core/place-of.ts";

/**
 * How many unknown keys an address may try. The checksum of a key can be computed by anyone, so guesses reach the database; this
 * bounds how often from one place. Keys that were issued are neither counted nor limited.
 */
export type AddressLimit = {
  /** How long an address must wait before its next unknown key is looked up; 0 when it need not. */
  waitMs: (address: string) => number;
  noteUnknown: (address: string) => void;
};

const WINDOW_MS = 60_000;
const MOST_PLACES = 10_000;

type Tally = { count: number; endsMs: number };

/** 0 per minute: no limit, as behind a load balancer that hides where requests come from. */
export function createAddressLimit({ clock, perMinute }: { clock: Clock; perMinute: number }): AddressLimit {
  const tallies = new LRUCache<string, Tally>({ max: MOST_PLACES });
  const current = (place: string): Tally | null => {
    const tally = tallies.get(place);
    return tally === undefined || tally.endsMs <= clock.elapsedMs() ? null : tally;
  };
  return {
    waitMs: (address) => {
      const tally = perMinute === 0 ? null : current(placeOf(address));
      return tally === null || tally.count < perMinute ? 0 : tally.endsMs - clock.elapsedMs();
    },
    noteUnknown: (address) => {
      const place = placeOf(address);
      const tally = current(place) ?? { count: 0, endsMs: clock.elapsedMs() + WINDOW_MS };
      tally.count++;
      tallies.set(place, tally);
    },
  };
}
