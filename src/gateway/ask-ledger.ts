import { Fault } from "../core/fault.ts";
import type { Key } from "../keys/key.ts";
import type { Batcher } from "../ledger/turn/batcher.ts";
import { LedgerUnavailableError } from "../ledger/turn/lane.ts";
import type { Ask, AdmitVerdict } from "../ledger/ledger.ts";
import type { RateDenials } from "../ledger/turn/rate-denials.ts";
import type { Caller } from "./open-request.ts";

/** What the ledger said, and the key as it was when it said so. */
export type Answered = { verdict: Exclude<AdmitVerdict, { kind: "stale_key" }>; caller: Caller };

/** `askFor` answers null for a key that it knows to have changed. */
export type AskLedger = (caller: Caller, askFor: (key: Key) => AskFor) => Promise<Answered>;
type AskFor = Ask | null | Promise<Ask | null>;

type Parts = {
  batcher: Pick<Batcher, "admit">;
  denials: RateDenials;
  random: () => number;
  /** Why the ledger may not be asked at all, though it answers; null when it may. */
  obstacle: () => string | null;
};

/** A key that keeps changing between its reading and the call is being worked on; nobody needs to win that race. */
const MOST_READINGS = 5;

/** Puts a request to the ledger, with a key read again for as long as the ledger knows it to have changed. */
export const createAskLedger =
  ({ batcher, denials, random, obstacle }: Parts): AskLedger =>
  async (first, askFor) => {
    const inTheWay = obstacle();
    if (inTheWay !== null) throw ledgerAway(random, new Error(inTheWay));
    let caller = first;
    for (let reading = 0; reading < MOST_READINGS; reading++) {
      const asked = askFor(caller.key);
      const ask = asked instanceof Promise ? await asked : asked;
      if (ask === null) {
        caller = await caller.again();
        continue;
      }
      const askedAtMs = denials.elapsedMs();
      let verdict: AdmitVerdict;
      try {
        verdict = await batcher.admit(ask);
      } catch (error) {
        throw error instanceof LedgerUnavailableError ? ledgerAway(random, error) : error;
      }
      if (verdict.rate !== undefined) caller.onRate(verdict.rate);
      if (verdict.kind === "rate_limited") denials.note(caller.key.id, { forMs: verdict.retryAfterMs, askedAtMs });
      if (verdict.kind !== "stale_key") return { verdict, caller };
      caller = await caller.again();
    }
    throw ledgerAway(random, new Error("the key changed at every reading"));
  };

/** Several seconds, and not the same for everybody: those who were refused together must not come back together. */
export const ledgerAway = (random: () => number, cause: unknown): Fault =>
  new Fault(
    "service_unavailable",
    "Billing is temporarily unavailable, so no requests are started. Try again in a few seconds.",
    {
      retryAfterSeconds: 2 + Math.floor(random() * 4),
      cause,
    },
  );
