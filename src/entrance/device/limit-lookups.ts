import type { Visitor } from "../../core/people/device-sign-in.ts";
import { Fault } from "../../core/fault.ts";
import type { AddressLimit } from "../../keys/address-limit.ts";

/** Looks up what somebody sent, unless too many do at once or too much from their address was unknown. */
export type CodeLookUp = <Found>(
  from: Pick<Visitor, "address">,
  what: { look: () => Promise<Found>; isKnown: (found: Found) => boolean },
) => Promise<Found>;

const MOST_LOOKUPS = 64;

/** A flood of made-up codes and tokens must not become a flood of queries. */
export function limitLookups(unknown: AddressLimit): CodeLookUp {
  let lookups = 0;
  return async ({ address }, { look, isKnown }) => {
    const waitMs = address === null ? 0 : unknown.waitMs(address);
    if (waitMs > 0)
      throw new Fault("rate_limit_exceeded", "Too many unknown codes or tokens were sent from this address.", {
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      });
    if (lookups >= MOST_LOOKUPS)
      throw new Fault("service_unavailable", "Too many clients sign in at once. Try again.", { retryAfterSeconds: 5 });
    lookups++;
    try {
      const found = await look();
      if (address !== null && !isKnown(found)) unknown.noteUnknown(address);
      return found;
    } finally {
      lookups--;
    }
  };
}
