import type { Clock } from "../core/clock.ts";
import { placeOf } from "../core/place-of.ts";
import { createMinuteCount } from "./minute-count.ts";

/**
 * How many unknown keys an address may try. The checksum of a key can be computed by anyone, so guesses reach the database; this
 * bounds how often from one place. Keys that were issued are neither counted nor limited.
 */
export type AddressLimit = {
  /** How long an address must wait before its next unknown key is looked up; 0 when it need not. */
  waitMs: (address: string) => number;
  noteUnknown: (address: string) => void;
};

/** 0 per minute: no limit, as behind a load balancer that hides where requests come from. */
export function createAddressLimit(limit: { clock: Clock; perMinute: number }): AddressLimit {
  const unknown = createMinuteCount(limit);
  return {
    waitMs: (address) => unknown.waitMs(placeOf(address)),
    noteUnknown: (address) => unknown.note(placeOf(address)),
  };
}
