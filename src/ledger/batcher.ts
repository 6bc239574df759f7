import type { Clock } from "../core/clock.ts";
import { invariant } from "../core/invariant.ts";
import { createDatabaseBreaker, type DatabaseBreaker } from "./database-breaker.ts";
import { createLane, type Failure, type Lane, type LaneLimits } from "./lane.ts";
import type {
  Ask,
  BatchVerdict,
  Claimed,
  Ledger,
  Settled,
  Settlement,
  StoredAnswer,
  Undone,
  AdmitVerdict,
  Voided,
} from "./ledger.ts";

type BatcherOptions = {
  ledger: Pick<Ledger, "admit" | "kept" | "settle" | "void" | "suspend">;
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
  admit: (ask: Ask) => Promise<AdmitVerdict>;
  settle: (settlement: Settlement) => Promise<Settled>;
  /** For requests with nobody left to be told: tried for as long as a void is. */
  settleLate: (settlement: Settlement) => Promise<Settled>;
  void: (request: Undone) => Promise<Voided>;
  /** Whether this very call suspended the key. */
  suspend: (keyId: string) => Promise<boolean>;
  /** Calls that wait for an answer. A process that is leaving waits for them. */
  waiting: () => number;
};

const FAILURES_BEFORE_REFUSING = 2;
const COOL_MS = 1_000;
/** A burst may wait as many times its timeout, as long as the ledger works it off. */
const PATIENCE = 10;
/** Roughly what a call without a body takes on the wire. */
const CALL_BYTES = 300;
/** Each may be as large as an answer that is kept. */
const REPLAYS_AT_ONCE = 4;
/** An answer above this makes the batch that stores it slow. */
const LARGE_ANSWER_BYTES = 32_768;

export function createBatcher(options: BatcherOptions): Batcher {
  const { ledger, processId, clock, limits, settleTimeoutMs, onLostRelease } = options;
  const breaker = createDatabaseBreaker({ clock, failures: FAILURES_BEFORE_REFUSING, coolMs: COOL_MS });
  const { cancel, settleLate, suspend } = patientLanes(options);
  const { settle, settleLarge } = settleLanes(options, breaker);
  const admit = createLane<Ask, BatchVerdict>({
    ...common(options),
    send: (asks) => ledger.admit(processId, asks),
    limits,
    longestMs: PATIENCE * limits.timeoutMs,
    breaker,
    // A request that only counts against the rate holds nothing to release.
    abandoned: ({ id, keyId, bucket, most }) => {
      if (most > 0n) cancel.submit({ id, keyId, bucket }).catch(onLostRelease);
    },
  });
  // A flood of repeats keeps itself waiting, and neither others' admissions nor the word on whether the ledger lives.
  const replay = createLane<Claimed, StoredAnswer | null>({
    ...common(options),
    send: (claims) => ledger.kept(claims),
    limits: { ...limits, items: REPLAYS_AT_ONCE, timeoutMs: settleTimeoutMs },
    breaker: null,
    abandoned: () => undefined,
  });
  const admitLanes = { admit, replay };
  const lanes = [admit, replay, settle, settleLarge, settleLate, cancel, suspend];

  return {
    admit: (ask) => admitWhole(ask, admitLanes),
    settle: (settlement) => (answerBytes(settlement) > LARGE_ANSWER_BYTES ? settleLarge : settle).submit(settlement),
    settleLate: settleLate.submit,
    void: cancel.submit,
    suspend: suspend.submit,
    waiting: () => lanes.reduce((sum, { waiting }) => sum + waiting(), 0),
  };
}

const common = ({ failureOf, clock }: BatcherOptions) => ({ failureOf, clock, bytesOf: () => CALL_BYTES });

/** A dead ledger is no reason to forget what a request came to in the end. */
function patientLanes(options: BatcherOptions) {
  const { ledger, limits, voidTimeoutMs } = options;
  const patient = {
    ...common(options),
    limits: { ...limits, timeoutMs: voidTimeoutMs },
    breaker: null,
    abandoned: () => undefined,
  };
  return {
    cancel: createLane<Undone, Voided>({ ...patient, send: (requests) => ledger.void(requests) }),
    settleLate: createLane<Settlement, Settled>({ ...patient, send: (settlements) => ledger.settle(settlements) }),
    suspend: createLane<string, boolean>({
      ...patient,
      send: async (keyIds) => {
        const suspended = new Set(await ledger.suspend([...new Set(keyIds)]));
        return keyIds.map((keyId) => suspended.delete(keyId));
      },
    }),
  };
}

function settleLanes(options: BatcherOptions, breaker: DatabaseBreaker) {
  const { ledger, limits, settleTimeoutMs } = options;
  const settling = {
    ...common(options),
    send: (settlements: readonly Settlement[]) => ledger.settle(settlements),
    bytesOf: (settlement: Settlement) => CALL_BYTES + answerBytes(settlement),
    limits: { ...limits, timeoutMs: settleTimeoutMs },
    longestMs: PATIENCE * settleTimeoutMs,
    breaker: { ...breaker, permits: () => true, broken: () => false },
    // Its caller sends an error and then a void: an error costs nothing.
    abandoned: () => undefined,
  };
  // Whoever has large answers stored waits behind others that do, and nobody else does.
  return {
    settle: createLane<Settlement, Settled>(settling),
    settleLarge: createLane<Settlement, Settled>(settling),
  };
}

type AdmitLanes = { admit: Lane<Ask, BatchVerdict>; replay: Lane<Claimed, StoredAnswer | null> };

async function admitWhole(ask: Ask, { admit, replay }: AdmitLanes): Promise<AdmitVerdict> {
  const { keyId, bucket, claim } = ask;
  const verdict = await admit.submit(ask);
  if (verdict.kind !== "replay") return verdict;
  invariant(claim, "a replay is the verdict on a claim");
  const rate = verdict.rate === undefined ? {} : { rate: verdict.rate };
  const answer = await replay.submit({ keyId, bucket, claim });
  // It was undone or has expired since: what the claim is worth now, the next try is told.
  return { ...(answer === null ? { kind: "in_progress" } : { kind: "replay", answer }), ...rate };
}

const answerBytes = ({ answer }: Settlement): number => answer?.body.length ?? 0;
