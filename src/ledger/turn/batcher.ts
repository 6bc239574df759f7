import type { Clock } from "../../core/clock.ts";
import { type CallWatch, UNWATCHED } from "../state/watch-ledger.ts";
import { createDatabaseBreaker, type DatabaseBreaker } from "./database-breaker.ts";
import { createLane, type Failure, type Lane, type LaneLimits, type CallTerms, type LaneTimes } from "./lane.ts";
import type {
  Ask,
  BatchVerdict,
  Claim,
  Claimed,
  Ledger,
  RefusalTold,
  Settled,
  Settlement,
  StoredAnswer,
  Undone,
  AdmitVerdict,
  Voided,
} from "../ledger.ts";

type BatcherOptions = {
  ledger: Pick<Ledger, "turn" | "settle" | "kept" | "void" | "suspend" | "refused">;
  processId: string;
  failureOf: (error: unknown) => Failure;
  clock: Pick<Clock, "elapsedMs">;
  /** Whether this process has no time to spare. Absent: always. */
  isBusy?: () => boolean;
  limits: LaneLimits & {
    /** How long a request that wants to start waits while nobody is answered. */
    timeoutMs: number;
  };
  /** A finished answer is worth a longer wait than a request that has not begun. */
  settleTimeoutMs: number;
  /** Voids are tried for this long: what they undo was told to a caller as an error. */
  voidTimeoutMs: number;
  /** So many calls wait for each lane before the buckets are divided among more of them; see below. */
  callsPerLane?: number;
  /** Hears how calls of requests go; absent, nobody does. */
  watch?: CallWatch;
  /** Hears how long the calls of requests wait and take, by lane; absent, nobody does. */
  timesOf?: (lane: "turn" | "stored" | "stored_large") => LaneTimes;
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
  suspend: (key: { keyId: string; bucket: number }) => Promise<boolean>;
  /** For those who watch the counter. */
  refused: (refusal: RefusalTold & { bucket: number }) => Promise<void>;
  /** Calls that wait for an answer. A process that is leaving waits for them. */
  waiting: () => number;
};

/**
 * Buckets are divided among up to so many lanes: calls of different buckets then neither wait for each other's balances nor mix
 * them in one transaction, which would make every process wait for every other.
 */
const MOST_LANES = 4;
/** Not before so many wait for each: a turn costs PostgreSQL most of what it costs however little it carries. */
const CALLS_PER_LANE = 64;
/** A turn of fewer costs PostgreSQL nearly as much for each, so that they had better wait for the turn under way. */
const CALLS_BESIDE = 16;
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
  const { ledger, clock, limits, settleTimeoutMs, watch = UNWATCHED, callsPerLane = CALLS_PER_LANE } = options;
  const breaker = createDatabaseBreaker({ clock, failures: FAILURES_BEFORE_REFUSING, coolMs: COOL_MS, watch });
  const { cancel, settleLate, suspend, refused } = patientLanes(options);
  const { stored, storedLarge } = storingLanes(options, breaker);
  const turns = Array.from({ length: MOST_LANES }, () => turnLane(options, { breaker, cancel }));
  // A flood of repeats keeps itself waiting, and neither others' admissions nor the word on whether the ledger lives.
  const replay = createLane<Claimed, StoredAnswer | null>({
    ...common(options),
    send: (claims) => ledger.kept(claims),
    limits: { ...limits, items: REPLAYS_AT_ONCE },
    termsOf: always(keptFor(settleTimeoutMs)),
    breaker: null,
  });
  const lanes: Pick<Lane<never, unknown>, "waiting">[] = [
    ...turns,
    replay,
    stored,
    storedLarge,
    settleLate,
    cancel,
    suspend,
    refused,
  ];
  let inUse = 1;
  const turnOf = (bucket: number): TurnLane => {
    let waiting = 0;
    for (const turn of turns) waiting += turn.waiting();
    const wanted = waiting / callsPerLane;
    // Seldom changed: a key whose calls are in two lanes makes these wait for each other.
    if (wanted >= MOST_LANES) inUse = MOST_LANES;
    else if (wanted <= 1) inUse = 1;
    return turns[bucket % inUse] as TurnLane;
  };

  return {
    admit: (ask) => {
      const turn = turnOf(ask.bucket);
      return hasClaim(ask) ? admitClaim(ask, { turn, replay }) : admitNew(ask, turn);
    },
    // One that stores an answer goes without admissions, which would wait for its bytes.
    settle: (settlement) => {
      const bytes = answerBytes(settlement);
      if (bytes > LARGE_ANSWER_BYTES) return storedLarge.submit(settlement);
      return settlement.answer === null ? turnOf(settlement.bucket).settle(settlement) : stored.submit(settlement);
    },
    settleLate: settleLate.submit,
    void: cancel.submit,
    suspend: suspend.submit,
    refused: refused.submit,
    waiting: () => lanes.reduce((sum, { waiting }) => sum + waiting(), 0),
  };
}

const common = ({ failureOf, clock, isBusy }: BatcherOptions) => ({
  failureOf,
  clock,
  ...(isBusy && { isBusy }),
  bytesOf: () => CALL_BYTES,
});

/** Kept and tried for so long, however the ledger does; whoever gives up knows what to do. */
const keptFor = (timeoutMs: number, longestMs = timeoutMs): CallTerms<unknown> => ({
  timeoutMs,
  longestMs,
  refusable: false,
  abandoned: () => undefined,
});

const always = <Item>(terms: CallTerms<Item>) => {
  return (): CallTerms<Item> => terms;
};

type TurnLane = {
  settle: (settlement: Settlement) => Promise<Settled>;
  admit: (ask: Ask) => Promise<BatchVerdict>;
  waiting: () => number;
};

type TurnCall = { kind: "settle"; settlement: Settlement } | { kind: "admit"; ask: Ask };

/** What ends and what begins in the same buckets goes in one turn. */
function turnLane(
  options: BatcherOptions,
  { breaker, cancel }: { breaker: DatabaseBreaker; cancel: Lane<Undone, Voided> },
): TurnLane {
  const { ledger, processId, limits, settleTimeoutMs, onLostRelease } = options;
  // The caller of a settlement that is given up sends an error and then a void: an error costs nothing.
  const ends = keptFor(settleTimeoutMs, PATIENCE * settleTimeoutMs);
  const begins: CallTerms<TurnCall> = {
    timeoutMs: limits.timeoutMs,
    longestMs: PATIENCE * limits.timeoutMs,
    refusable: true,
    // A request that only counts against the rate holds nothing to release.
    abandoned: (call) => {
      if (call.kind !== "admit" || holdsNothing(call.ask)) return;
      const { id, keyId, bucket } = call.ask;
      cancel.submit({ id, keyId, bucket }).catch(onLostRelease);
    },
  };
  const lane = createLane<TurnCall, Settled | BatchVerdict>({
    ...common(options),
    send: async (calls) => {
      const settlements: Settlement[] = [];
      const asks: Ask[] = [];
      for (const call of calls) {
        if (call.kind === "settle") settlements.push(call.settlement);
        else asks.push(call.ask);
      }
      const { settled, verdicts } = await ledger.turn(processId, { settlements, asks });
      let [ended, begun] = [0, 0];
      return calls.map(
        ({ kind }) => (kind === "settle" ? settled[ended++] : verdicts[begun++]) as Settled | BatchVerdict,
      );
    },
    termsOf: ({ kind }) => (kind === "settle" ? ends : begins),
    isUrgent: (call) => call.kind === "settle" && endsStream(call.settlement),
    besideItems: CALLS_BESIDE,
    limits,
    breaker,
    times: options.timesOf?.("turn"),
  });
  return {
    settle: (settlement) => lane.submit({ kind: "settle", settlement }) as Promise<Settled>,
    admit: (ask) => lane.submit({ kind: "admit", ask }) as Promise<BatchVerdict>,
    waiting: lane.waiting,
  };
}

/** A dead ledger is no reason to forget what a request came to in the end. */
function patientLanes(options: BatcherOptions) {
  const { ledger, limits, voidTimeoutMs } = options;
  const patient = { ...common(options), limits, termsOf: always(keptFor(voidTimeoutMs)), breaker: null };
  return {
    cancel: createLane<Undone, Voided>({ ...patient, send: (requests) => ledger.void(requests) }),
    settleLate: createLane<Settlement, Settled>({ ...patient, send: (settlements) => ledger.settle(settlements) }),
    suspend: createLane<{ keyId: string; bucket: number }, boolean>({
      ...patient,
      send: async (keys) => {
        const keyIds = keys.map(({ keyId }) => keyId);
        const suspended = new Set(await ledger.suspend([...new Set(keyIds)]));
        return keyIds.map((keyId) => suspended.delete(keyId));
      },
    }),
    refused: createLane<RefusalTold & { bucket: number }, void>({
      ...patient,
      send: async (refusals) => {
        for (const refusal of refusals) await ledger.refused(refusal);
        return refusals.map(() => undefined);
      },
    }),
  };
}

/** Whoever has large answers stored waits behind others that do, and nobody else does. */
function storingLanes(options: BatcherOptions, breaker: DatabaseBreaker) {
  const { ledger, limits, settleTimeoutMs } = options;
  const storing = {
    ...common(options),
    send: (settlements: readonly Settlement[]) => ledger.settle(settlements),
    bytesOf: (settlement: Settlement) => CALL_BYTES + answerBytes(settlement),
    limits,
    termsOf: always(keptFor(settleTimeoutMs, PATIENCE * settleTimeoutMs)),
    isUrgent: endsStream,
    breaker,
  };
  return {
    stored: createLane<Settlement, Settled>({ ...storing, times: options.timesOf?.("stored") }),
    storedLarge: createLane<Settlement, Settled>({ ...storing, times: options.timesOf?.("stored_large") }),
  };
}

const hasClaim = (ask: Ask): ask is Ask & { claim: Claim } => ask.claim !== null;

/** Only a claim can be replayed. */
const admitNew = (ask: Ask, turn: TurnLane): Promise<AdmitVerdict> => turn.admit(ask) as Promise<AdmitVerdict>;

type AdmitLanes = { turn: TurnLane; replay: Lane<Claimed, StoredAnswer | null> };

async function admitClaim(ask: Ask & { claim: Claim }, { turn, replay }: AdmitLanes): Promise<AdmitVerdict> {
  const { keyId, bucket, claim } = ask;
  const verdict = await turn.admit(ask);
  if (verdict.kind !== "replay") return verdict;
  const rate = verdict.rate === undefined ? {} : { rate: verdict.rate };
  const answer = await replay.submit({ keyId, bucket, claim });
  // It was undone or has expired since: what the claim is worth now, the next try is told.
  return { ...(answer === null ? { kind: "in_progress", retryAfterMs: 0 } : { kind: "replay", answer }), ...rate };
}

const answerBytes = ({ answer }: Settlement): number => answer?.body.length ?? 0;

/** Its client has all of the answer but the end, which it is sent when this is settled. */
const endsStream = ({ contentDelivered }: Settlement): boolean => contentDelivered;

const holdsNothing = ({ most }: Ask): boolean => (most.credits ?? 0n) + (most.tokens ?? 0n) === 0n;
