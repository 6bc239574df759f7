import type { Unit } from "../core/amount.ts";
import type { BudgetPeriod } from "../core/budget-period.ts";
import type { CounterKind } from "../core/counter.ts";

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
  /** `used`: charges came up to it; `left`: a purse came down to it; `refused`: a request was refused for it. */
  cause: "used" | "left" | "refused";
  /** Of a limit: what a period has. Of a purse: all that was paid in. */
  amount: bigint;
  used: bigint;
  reserved: bigint;
  available: bigint;
  renewsAtMs: number | null;
  atMs: number;
};

export type DeliveryState = "waiting" | "delivered" | "dead";

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

/** Notices in the database. */
export type NoticeStore = {
  /** Takes attempts that are due, at most `each` under way at an endpoint; `leaseMs` later one is taken for lost. */
  take: (endpoints: readonly string[], limits: { each: number; leaseMs: number }) => Promise<DeliveryAttempt[]>;
  ended: (attempt: DeliveryAttempt, end: AttemptEnd) => Promise<void>;
  count: () => Promise<NoticeCounts>;
  /** Newest first; `dead`: those that an endpoint did not get; `within`: those of these accounts and of what is below them. */
  list: (page: {
    limit: number;
    before: bigint | null;
    dead: boolean;
    within: readonly string[] | null;
  }) => Promise<ListedNotice[]>;
  /** Sends dead letters again, those of one notice or all, and says how many. */
  retry: (notice: string | null) => Promise<number>;
  /** Counters of an account or a key: by their ids, in order. */
  countersOf: (owner: { accountId: string } | { keyId: string }) => Promise<CounterThresholds[]>;
  /** Null: what is usual. */
  setThresholds: (counter: number, thresholds: readonly bigint[] | null) => Promise<"set" | "unknown_counter">;
};
