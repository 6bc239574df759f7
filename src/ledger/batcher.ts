import type { Clock } from "../core/clock.ts";
import { createBreaker } from "./breaker.ts";
import { createLane, type Failure, type LaneLimits } from "./lane.ts";
import type { Ask, Ledger, Settled, Settlement, Undone, Verdict, Voided } from "./ledger.ts";

type BatcherOptions = {
  ledger: Pick<Ledger, "admit" | "settle" | "void">;
  processId: string;
  failureOf: (error: unknown) => Failure;
  clock: Pick<Clock, "elapsedMs">;
  limits: LaneLimits;
  /** A finished answer is worth a longer wait than a request that has not begun. */
  settleTimeoutMs: number;
  /** Voids are tried for this long: what they undo was told to a caller as an error. */
  voidTimeoutMs: number;
  /** Hears of releases that were given up; the sweeper ends their holds. */
  onLostRelease: (error: unknown) => void;
};

/** Single calls in, batches out. */
export type Batcher = {
  admit: (ask: Ask) => Promise<Verdict>;
  settle: (settlement: Settlement) => Promise<Settled>;
  /** For requests with nobody left to be told: tried for as long as a void is. */
  settleLate: (settlement: Settlement) => Promise<Settled>;
  void: (request: Undone) => Promise<Voided>;
  /** Calls that wait for an answer. A process that is leaving waits for them. */
  waiting: () => number;
};

const FAILURES_BEFORE_REFUSING = 2;
const COOL_MS = 1_000;
/** Roughly what a call without a body takes on the wire. */
const CALL_BYTES = 300;

export function createBatcher(options: BatcherOptions): Batcher {
  const { ledger, processId, failureOf, clock, limits, settleTimeoutMs, voidTimeoutMs, onLostRelease } = options;
  const breaker = createBreaker({ clock, failures: FAILURES_BEFORE_REFUSING, coolMs: COOL_MS });
  const common = { failureOf, clock, bytesOf: () => CALL_BYTES };

  // A dead ledger is no reason to forget what a request came to in the end.
  const patient = { limits: { ...limits, timeoutMs: voidTimeoutMs }, breaker: null, abandoned: () => undefined };
  const cancel = createLane<Undone, Voided>({
    ...common,
    ...patient,
    send: (requests) => ledger.void(requests),
  });
  const settleLate = createLane<Settlement, Settled>({
    ...common,
    ...patient,
    send: (settlements) => ledger.settle(settlements),
  });
  const admit = createLane<Ask, Verdict>({
    ...common,
    send: (asks) => ledger.admit(processId, asks),
    limits,
    breaker,
    // A request that only counts against the rate holds nothing to release.
    abandoned: ({ id, keyId, most }) => {
      if (most > 0n) cancel.submit({ id, keyId }).catch(onLostRelease);
    },
  });
  const settle = createLane<Settlement, Settled>({
    ...common,
    send: (settlements) => ledger.settle(settlements),
    bytesOf: ({ answer }) => CALL_BYTES + (answer?.body.length ?? 0),
    limits: { ...limits, timeoutMs: settleTimeoutMs },
    breaker: { ...breaker, permits: () => true, broken: () => false },
    // Its caller sends an error and then a void: an error costs nothing.
    abandoned: () => undefined,
  });
  return {
    admit: admit.submit,
    settle: settle.submit,
    settleLate: settleLate.submit,
    void: cancel.submit,
    waiting: () => admit.waiting() + settle.waiting() + settleLate.waiting() + cancel.waiting(),
  };
}
