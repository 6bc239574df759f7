import type { Unit } from "../core/money/amount.ts";
import type { BudgetPeriod } from "../core/money/budget-period.ts";
import type { CounterKind } from "../core/money/counter.ts";
import type { DeliveryState, NoticeCause } from "../core/notice-words.ts";

/** Whose a counter is. An account of one key alone is not named. */
export type CounterOwner = {
  accountId: string | null;
  /** Names from the root down. */
  accountPath: readonly string[];
  key: { id: string; prefix: string | null; label: string | null } | null;
};

/** A threshold that was passed, and what was true then. Names are those of today. */
export type Notice = CounterOwner & {
  id: string;
  /** Notices are in this order. */
  no: bigint;
  counter: number;
  kind: CounterKind;
  unit: Unit;
  period: BudgetPeriod;
  models: readonly string[] | null;
  /** Percent of a limit, or an amount left of a purse. */
  threshold: bigint;
  cause: NoticeCause;
  /** Of a limit: what a period has. Of a purse: all that was paid in. */
  amount: bigint;
  used: bigint;
  reserved: bigint;
  available: bigint;
  renewsAtMs: number | null;
  atMs: number;
};

/** What became of a notice at one endpoint. */
export type Delivery = {
  endpoint: string;
  state: DeliveryState;
  attempts: number;
  nextAtMs: number | null;
  lastAtMs: number | null;
  status: number | null;
  problem: string | null;
};

export type ListedNotice = Notice & { deliveries: readonly Delivery[] };

/** An attempt to be made: which one it is, and how long ago the first was. */
export type DeliveryAttempt = { endpoint: string; attempt: number; triedMs: number; notice: Notice };

/** `againMs` null: there is no other attempt. */
export type AttemptEnd = { ok: boolean; status: number | null; problem: string | null; againMs: number | null };

export type NoticeCounts = { waiting: number; dead: number };

/** What a counter is watched for. `usual`: nobody chose them. */
export type CounterThresholds = CounterOwner & {
  counter: number;
  kind: CounterKind;
  unit: Unit;
  period: BudgetPeriod;
  models: readonly string[] | null;
  amount: bigint;
  thresholds: readonly bigint[];
  usual: boolean;
};

/** Null: whatever it is. `state`: of a delivery of theirs. An account stands for all below it, too. */
export type NoticeFilter = {
  state: DeliveryState | null;
  cause: NoticeCause | null;
  accountId: string | null;
  keyId: string | null;
};

/** `log`, or a webhook. `seenAtMs`: when a process last had it in its settings. */
export type NoticeEndpoint = { endpoint: string; seenAtMs: number; waiting: number; dead: number };

/** Notices in the database. */
export type NoticeStore = {
  /** Takes attempts that are due, at most `each` under way at an endpoint; `leaseMs` later one is taken for lost. */
  take: (endpoints: readonly string[], limits: { each: number; leaseMs: number }) => Promise<DeliveryAttempt[]>;
  ended: (attempt: DeliveryAttempt, end: AttemptEnd) => Promise<void>;
  count: () => Promise<NoticeCounts>;
  /** Newest first. `within`: those of these accounts and of what is below them. */
  list: (
    page: NoticeFilter & {
      limit: number;
      before: bigint | null;
      within: readonly string[] | null;
    },
  ) => Promise<ListedNotice[]>;
  /** Where notices go, as processes have it in their settings, and what has not arrived there. */
  endpoints: () => Promise<NoticeEndpoint[]>;
  /** Sends dead letters again, those of one notice or all, and says how many. */
  retry: (notice: string | null) => Promise<number>;
  /** Counters of an account or a key: by their ids, in order. */
  countersOf: (owner: { accountId: string } | { keyId: string }) => Promise<CounterThresholds[]>;
  /** Null: what is usual. */
  setThresholds: (counter: number, thresholds: readonly bigint[] | null) => Promise<"set" | "unknown_counter">;
};
