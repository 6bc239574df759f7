import type { BudgetPeriod } from "../core/budget-period.ts";
import type { Outcome, Usage } from "../core/usage.ts";

/** The Idempotency-Key of a request, digested. It counts per key, whatever the request asks for. */
export type Claim = { keySha256: Buffer; fingerprint: Buffer };

/** What a replay sends again. The body is encrypted before it comes here. */
export type StoredAnswer = { status: number; contentType: string; body: Buffer };

/** A request that wants to start. Amounts are in the unit of its key: nano-credits or tokens. */
export type Ask = {
  /** A UUID v7 made before the call, so that an unanswered call can be repeated. */
  id: string;
  keyId: string;
  /** Where the money of its key is. Calls of one bucket go together; it is the same for all calls of a request. */
  bucket: number;
  keyVersion: number;
  rpmLimit: number | null;
  /** Below this it does not start. `least` and `most` both 0: count it against the rate and hold nothing. */
  least: bigint;
  most: bigint;
  /** The request names no limit of its own, so it takes at most half when there is less than `most`. */
  unlimited: boolean;
  model: string;
  priceVersion: number;
  /** After this long the sweeper may end it, whether or not its process lives. */
  lifetimeMs: number;
  claim: Claim | null;
};

/**
 * `posted` and `held` leave out what holds of earlier token periods still hold, so that all a verdict says is true of the
 * instant at which it was made.
 */
export type AdmitVerdict = Decision & {
  /** Of a key that has a limit, after the batch of this verdict. */
  rate?: Rate;
};

/** Requests that the last minute leaves a key, and how long until all of them are there again. */
export type Rate = { limit: number; remaining: number; resetMs: number };

type Decision =
  | { kind: "admitted"; amount: bigint }
  /** This id was admitted before: the original grant. */
  | { kind: "already"; amount: bigint }
  | { kind: "rate_limited"; retryAfterMs: number }
  | { kind: "insufficient"; posted: bigint; held: bigint }
  | { kind: "reserved"; posted: bigint; held: bigint }
  | { kind: "limit_reached"; periodEndsAtMs: number | null }
  | { kind: "in_progress" }
  | { kind: "key_reuse" }
  | { kind: "replay"; answer: StoredAnswer }
  | { kind: "replay_unavailable" }
  | { kind: "stream_interrupted" }
  /** The key has changed since it was read, or is gone: read it again and ask again. */
  | { kind: "stale_key" };

/**
 * A verdict as a batch is told it. An answer that was kept is read apart: it may be large, and a batch is what everybody waits
 * for.
 */
export type BatchVerdict = Exclude<AdmitVerdict, { kind: "replay" }> | { kind: "replay"; rate?: Rate };

/** The claim of a request whose answer may have been kept. */
export type Claimed = { keyId: string; bucket: number; claim: Claim };

export type RecordDetails = {
  provider: string;
  status: number;
  firstByteMs: number | null;
  tookMs: number;
  /** The provider's numbers were missing or impossible, so the estimator's stand here. */
  estimated: boolean;
};

/** The end of a request. */
export type Settlement = {
  id: string;
  keyId: string;
  bucket: number;
  outcome: Outcome;
  charge: bigint;
  usage: Usage;
  /** Decides what becomes of the idempotency claim when there is no answer to store. */
  contentDelivered: boolean;
  /** Null writes no usage record; a request whose client is gone never has one. */
  record: RecordDetails | null;
  answer: StoredAnswer | null;
  /** What the house bears of a request that its key does not pay for: the price of work done for nobody. */
  absorbed: bigint;
  /**
   * Of a request whose provider failed after content: the price of what had been delivered. The house bears it while that and
   * all else it bears of the key within an hour stay within the cap; beyond it, the key is charged this.
   */
  waived: bigint;
  /** Beyond this, overruns and `absorbed` of an hour have the key suspended. In the unit of the key. */
  capPerHour: bigint;
};

export type Settled =
  /** `overCap`: the key has caused the house more than its cap within an hour, and is to be suspended. */
  | { kind: "settled"; charged: bigint; overCap?: true }
  | { kind: "already"; charged: bigint }
  /** The hold is gone: swept or voided. Nothing was charged by this call. */
  | { kind: "fenced" };

/** A request that is to be as if it had never been. */
export type Undone = {
  id: string;
  keyId: string;
  bucket: number;
  /** Part of its answer reached the caller, so that it may not run again under the same Idempotency-Key. Absent: nothing did. */
  contentDelivered?: boolean;
};

/** `refunded` is what the key got back because the charge had been applied; 0 when the hold was merely released. */
export type Voided = { kind: "voided" | "already"; refunded: bigint };

export type Checkpoint = {
  id: string;
  bucket: number;
  /** Grows within one request; an older one changes nothing. */
  seq: number;
  cost: bigint;
  inputTokens: number;
  outputTokens: number;
  contentDelivered: boolean;
};

export type Swept = { id: string; keyId: string; charged: bigint };

/** A hold that cannot be ended: it stays open and held until an operator releases it. `code` is the SQLSTATE of what refused. */
export type Quarantined = { id: string; keyId: string; code: string; reason: string };

export type FundingKind = "purchase" | "grant" | "refund" | "adjust";

export type Funding = {
  keyId: string;
  /** Names the operation: repeated, it is answered `already`. */
  reference: string;
  kind: FundingKind;
  amount: bigint;
  /** The charge a refund gives back, in part or whole. */
  about: string | null;
  actor: string;
};

export type Funded = {
  kind: "funded" | "already" | "reference_reuse" | "unknown_key" | "wrong_unit" | "reserved" | "too_much" | "refused";
};

export type BudgetChange = {
  keyId: string;
  reference: string;
  budget: bigint;
  period: BudgetPeriod;
  actor: string;
};

/** A key's totals as they are now: a period or day that has ended shows as ended, whether or not a request has come. */
export type UsageSummary = {
  unit: "credit" | "tokens";
  posted: bigint;
  held: bigint;
  purchased: bigint;
  used: bigint;
  budget: bigint;
  periodEndsAtMs: number | null;
  todaySpend: bigint;
  lastCost: bigint;
  requests: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
};

/** Holds that nobody ends: how many are in quarantine, and how long the oldest of the others has waited for a sweep. */
export type LostHolds = { quarantined: number; lagSeconds: number };

/** What one flush ends and what it begins. Either may be empty. */
export type LedgerTurn = { settlements: readonly Settlement[]; asks: readonly Ask[] };

/** The ledger of one primary. Each call is one transaction; each batch answers in its own order. */
export type Ledger = {
  /** Settles, then admits, all or nothing: what a settlement gives back is there for the requests that begin. */
  turn: (processId: string, turn: LedgerTurn) => Promise<{ settled: Settled[]; verdicts: BatchVerdict[] }>;
  admit: (processId: string, asks: readonly Ask[]) => Promise<BatchVerdict[]>;
  /** The answers to be replayed; null where one is kept no longer. */
  kept: (claims: readonly Claimed[]) => Promise<(StoredAnswer | null)[]>;
  settle: (settlements: readonly Settlement[]) => Promise<Settled[]>;
  /** Undoes a request whatever became of it. An id never seen is barred from being admitted later. */
  void: (requests: readonly Undone[]) => Promise<Voided[]>;
  /** Answers the keys that this very call suspended, so that one of many tells the operator. */
  suspend: (keyIds: readonly string[]) => Promise<string[]>;
  /** Answers the ids that are no longer open: their streams must be cut. */
  checkpoint: (checkpoints: readonly Checkpoint[]) => Promise<string[]>;
  /** Renews the lease of a process and says until when. */
  heartbeat: (processId: string) => Promise<Date>;
  /**
   * Ends at most `limit` abandoned holds, all or none: it rejects when one of them cannot be ended. With a limit of 1 that one is
   * quarantined instead. Call again until it answers nothing.
   */
  sweep: (sweeperId: string, limit: number) => Promise<{ swept: Swept[]; quarantined: Quarantined[] }>;
  /** What a sweep leaves behind. */
  countLost: () => Promise<LostHolds>;
  /** Removes claims that have expired, so many at most and none beyond so many bytes of answers, and says how many. */
  forgetClaims: (limits: { items: number; bytes: number }) => Promise<number>;
  fund: (funding: Funding) => Promise<Funded>;
  setBudget: (change: BudgetChange) => Promise<Funded>;
  usage: (keyId: string) => Promise<UsageSummary | null>;
};
