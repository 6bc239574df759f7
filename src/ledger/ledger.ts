import type { Amounts, Unit } from "../core/money/amount.ts";
import type { BudgetPeriod } from "../core/money/budget-period.ts";
import type { ChainRef, CounterKind } from "../core/money/counter.ts";
import type { Outcome, Usage } from "../core/money/usage.ts";

/** The Idempotency-Key of a request, digested. It counts per key, whatever the request asks for. */
export type Claim = { keySha256: Buffer; fingerprint: Buffer };

/** What a replay sends again. The body is encrypted before it comes here. */
export type StoredAnswer = { status: number; contentType: string; body: Buffer };

/** A request that wants to start. */
export type Ask = {
  /** A UUID v7 made before the call, so that an unanswered call can be repeated. */
  id: string;
  bucket: number;
  keyId: string;
  keyVersion: number;
  /** The counters that it must satisfy. */
  chain: ChainRef;
  rpmLimit: number | null;
  /** Below this it does not start. All of `least` and `most` 0: count it against the rate and hold nothing. */
  least: Amounts;
  most: Amounts;
  /** The request names no limit of its own, so it takes at most half when there is less than `most`. */
  unlimited: boolean;
  model: string;
  priceVersion: number;
  /** After this long the sweeper may end it, whether or not its process lives. */
  lifetimeMs: number;
  claim: Claim | null;
};

export type AdmitVerdict = Decision & {
  /** Of a key that has a limit, after the batch of this verdict. */
  rate?: Rate;
};

/** Requests that the last minute leaves a key, and how long until all of them are there again. */
export type Rate = { limit: number; remaining: number; resetMs: number };

type Decision =
  | { kind: "admitted"; granted: Amounts }
  /** This id was admitted before: the original grant. */
  | { kind: "already"; granted: Amounts }
  | { kind: "rate_limited"; retryAfterMs: number }
  /** `limit_reached`: of a limit in tokens with nothing left. `reserved`: open requests hold what this one lacks. */
  | ({ kind: "insufficient" | "reserved" | "limit_reached" } & Lack)
  /** The period of this counter began by a clock that was ahead, so that the request would spend a later one. */
  | { kind: "not_begun"; counter: number; beginsAtMs: number }
  /** Wait as long as the other request has been running. */
  | { kind: "in_progress"; retryAfterMs: number }
  | { kind: "key_reuse" }
  | { kind: "replay"; answer: StoredAnswer }
  | { kind: "replay_unavailable" }
  | { kind: "stream_interrupted" }
  /** The key has changed since it was read, or is gone: read it again and ask again. */
  | { kind: "stale_key" };

/**
 * Why a chain refused a request. What holds of earlier periods still hold is left out, so that all of it is true of the instant at
 * which it was decided.
 */
export type Lack = {
  /** The smallest of the chain, in each unit; null where it has no counter of that unit. */
  posted: Amounts;
  available: Amounts;
  /** Of those that refused it the one that renews last; a purse counts as last. */
  named: NamedCounter;
};

export type NamedCounter = {
  id: number;
  kind: CounterKind;
  unit: Unit;
  posted: bigint;
  available: bigint;
  /** Of a limit: what a period has. */
  amount: bigint;
  period: BudgetPeriod;
  renewsAtMs: number | null;
  /** The name of its account; null: the key itself. */
  holder: string | null;
};

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

/**
 * How a request was served: who was asked for what, with whose credential, and the tier and the region that it is charged at. `said` is
 * what the answer named instead; empty: nothing else.
 */
export type ServedFacts = {
  provider: string;
  upstreamModel: string;
  credential: string;
  tier: string;
  region: string;
  said: string;
};

/** The end of a request. */
export type Settlement = {
  id: string;
  bucket: number;
  keyId: string;
  chain: ChainRef;
  outcome: Outcome;
  /** In each unit of its chain, null in others. */
  price: Amounts;
  usage: Usage;
  /** Null or absent: no provider was asked. */
  served?: ServedFacts | null;
  /** Sixteen bytes of the request, keyed with the caller's secret, in hexadecimal. */
  digest: string | null;
  /** Decides what becomes of the idempotency claim when there is no answer to store. */
  contentDelivered: boolean;
  /** Null writes no usage record; a request whose client is gone never has one. */
  record: RecordDetails | null;
  answer: StoredAnswer | null;
  /** What the house bears of a request that its key does not pay for: the price of work done for nobody. */
  absorbed: Amounts;
  /**
   * Of a request whose provider failed after content: the price of what had been delivered. The house bears it while that and
   * all else it bears of the payer and of the account within an hour stay within the caps; beyond one, the key is charged this.
   */
  waived: Amounts;
  /** Beyond this, overruns and `absorbed` of its payer within an hour have the key suspended. In the unit of the key's mode. */
  capPerHour: bigint;
  /** The same of its account. */
  accountCapPerHour: bigint;
};

export type Settled =
  /** `overCap`: its payer or its account has caused the house more than a cap within an hour, and the key is to be suspended. */
  | { kind: "settled"; charged: Amounts; overCap?: true }
  | { kind: "already"; charged: Amounts }
  /** The hold is gone: swept or voided. Nothing was charged by this call. */
  | { kind: "fenced" };

/** A request that is to be as if it had never been. */
export type Undone = {
  id: string;
  bucket: number;
  keyId: string;
  /** Part of its answer reached the caller, so that it may not run again under the same Idempotency-Key. Absent: nothing did. */
  contentDelivered?: boolean;
};

/** `refunded` is what was given back because the charge had been applied; 0 when the hold was merely released. */
export type Voided = { kind: "voided" | "already"; refunded: Amounts };

/** A counter refused a request, for good. `little`: the request asked for little. */
export type RefusalTold = { counter: number; little: boolean };

export type Checkpoint = {
  id: string;
  bucket: number;
  keyId: string;
  /** Grows within one request; an older one changes nothing. */
  seq: number;
  /** What it has cost in credits; 0 where its chain has none. In tokens it is what the usage says. */
  credits: bigint;
  usage: Usage;
  served?: ServedFacts | null;
  contentDelivered: boolean;
};

export type Swept = { id: string; keyId: string; charged: Amounts };

/** A hold that cannot be ended: it stays open and held until an operator releases it. `code` is the SQLSTATE of what refused. */
export type Quarantined = { id: string; keyId: string; code: string; reason: string };

export type FundingKind = "purchase" | "grant" | "adjust";

/** Money into a purse, or out of it. */
export type Funding = {
  counter: number;
  /** Names the operation: repeated, it is answered `already`. */
  reference: string;
  kind: FundingKind;
  amount: bigint;
  actor: string;
};

/** What a charge gives back, in part or whole, to every counter of its chain. */
export type Refund = {
  keyId: string;
  reference: string;
  /** The request. */
  about: string;
  amounts: Amounts;
  actor: string;
};

export type Funded = {
  kind:
    | "funded"
    | "already"
    | "reference_reuse"
    | "unknown_counter"
    | "unknown_key"
    | "not_a_purse"
    | "not_a_limit"
    | "reserved"
    | "too_much"
    | "refused";
};

/** The amount of a limit, from now on and in its present period. */
export type LimitChange = {
  counter: number;
  reference: string;
  amount: bigint;
  period: BudgetPeriod;
  actor: string;
};

/** A counter of a key's chain as it is now: a period that has ended shows as ended, whether or not a request has come. */
export type CounterSummary = {
  id: number;
  /** The key's own, and not one of an account above it. */
  own: boolean;
  accountId: string | null;
  holder: string | null;
  kind: CounterKind;
  unit: Unit;
  models: readonly string[] | null;
  amount: bigint;
  period: BudgetPeriod;
  posted: bigint;
  held: bigint;
  used: bigint;
  funded: bigint;
  refunded: bigint;
  renewsAtMs: number | null;
};

/** A key's totals as they are now, and the counters of its chain: its own first, then from its account up to the root. */
export type UsageSummary = {
  /** What its mode counts in; `todaySpend` and `lastCost` are in it. */
  unit: Unit;
  /** Credits that requests of this key have cost, whoever paid. */
  spent: bigint;
  todaySpend: bigint;
  lastCost: bigint;
  requests: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
  counters: readonly CounterSummary[];
};

/** Holds that nobody ends: how many are in quarantine, and how long the oldest of the others has waited for a sweep. */
export type LostHolds = { quarantined: number; lagSeconds: number };

/** What requests read beside their turns, from the ledger that has the bucket of their key. */
export type LedgerReads = {
  usage: (keyId: string, bucket: number) => Promise<UsageSummary | null>;
  chain: (keyId: string, keyVersion: number, counters: readonly number[], bucket: number) => Promise<number | null>;
};

/** What a process ends and starts at once. */
export type LedgerTurn = { settlements: readonly Settlement[]; asks: readonly Ask[] };
export type TurnAnswer = { settled: Settled[]; verdicts: BatchVerdict[] };

/** The ledger of one primary. Each call is one transaction; each batch answers in its own order. */
export type Ledger = {
  turn: (processId: string, turn: LedgerTurn) => Promise<TurnAnswer>;
  admit: (processId: string, asks: readonly Ask[]) => Promise<BatchVerdict[]>;
  /** The answers to be replayed; null where one is kept no longer. */
  kept: (claims: readonly Claimed[]) => Promise<(StoredAnswer | null)[]>;
  settle: (settlements: readonly Settlement[]) => Promise<Settled[]>;
  /** Undoes a request whatever became of it. An id never seen is barred from being admitted later. */
  void: (requests: readonly Undone[]) => Promise<Voided[]>;
  /** Answers the keys that this very call suspended, so that one of many tells the operator. */
  suspend: (keyIds: readonly string[]) => Promise<string[]>;
  /** Whoever watches the counter is told that it is at its end, or that a request was too large for it; of each, once. */
  refused: (refusal: RefusalTold) => Promise<void>;
  /** Answers the ids that are no longer open: their streams must be cut. */
  checkpoint: (checkpoints: readonly Checkpoint[]) => Promise<string[]>;
  /** Renews the lease of a process and says until when. */
  heartbeat: (processId: string) => Promise<Date>;
  /** Commits as the turn of a request does and leaves nothing behind. `spill`: also asks the disk for room. */
  rehearse: (options: { id: string; spill: boolean }) => Promise<void>;
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
  setLimit: (change: LimitChange) => Promise<Funded>;
  refund: (refund: Refund) => Promise<Funded>;
  usage: (keyId: string) => Promise<UsageSummary | null>;
  /** The number of the chain with some of a key's counters; null when the key is of another version now. */
  chain: (keyId: string, keyVersion: number, counters: readonly number[]) => Promise<number | null>;
};
