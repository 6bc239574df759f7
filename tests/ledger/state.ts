import type { Amounts, Unit } from "../../src/core/money/amount.ts";
import type { BudgetPeriod } from "../../src/core/money/budget-period.ts";
import type { CounterKind } from "../../src/core/money/counter.ts";
import type { FundingKind } from "../../src/ledger/ledger.ts";
import type { Outcome } from "../../src/core/money/usage.ts";

/**
 * Everything the ledger knows, in the shape of its tables. Both the model and a database can be read as this. Counters have the
 * numbers that the test gave them, and not those of a database.
 */
export type State = {
  /** The tree: who is above whom. */
  accounts: Map<string, { parentId: string | null }>;
  keys: Map<string, Key>;
  /** By number. */
  counters: Map<string, Counter>;
  holds: Map<string, Hold>;
  charges: Map<string, Charge>;
  /** By hold and reference: refunds and voids. */
  refunds: Map<string, RefundEntry>;
  /** By counter and reference. */
  funding: Map<string, FundingEntry>;
  /** By counter: what is watched for, where it is not what is usual. */
  thresholds: Map<string, Threshold>;
  /** By counter, period, revision and mark. */
  notices: Map<string, Notice>;
  /** By key and digest. */
  claims: Map<string, ClaimEntry>;
  processes: Map<string, Process>;
  /** By hold: those that no sweep could end. */
  quarantine: Map<string, { keyId: string; sinceMs: number }>;
  /** By hold, kind and unit: what the operator bears. */
  house: Map<string, HouseEntry>;
  /** The same in the unit of a key's mode, by key and minute, for an hour. */
  borne: Map<string, BorneEntry>;
};

export type Key = {
  /** What its mode counts in. */
  unit: Unit;
  accountId: string;
  version: number;
  status: "active" | "suspended";
  /** Its own first counter; 0: none. */
  own: number;
  /** The others of its chain, whatever their models. */
  counters: number[];
  spent: bigint;
  day: number;
  todaySpend: bigint;
  lastCost: bigint;
  requests: bigint;
  tokensIn: bigint;
  tokensOut: bigint;
  /** Accepted requests by the second, the oldest first, with the time of the last in each. */
  rate: Second[];
};

export type Second = { lastMs: number; count: number };

export type Counter = {
  /** One of the two. */
  accountId: string | null;
  keyId: string | null;
  kind: CounterKind;
  unit: Unit;
  models: string[] | null;
  amount: bigint;
  period: BudgetPeriod;
  periodNo: number;
  periodFromMs: number;
  periodEndsAtMs: number;
  revision: number;
  due: bigint | null;
  /** How many fundings it has had. */
  fundings: number;
  closed: boolean;
  posted: bigint;
  held: bigint;
  olderHeld: bigint;
  used: bigint;
  funded: bigint;
  refunded: bigint;
};

/** What a request has to satisfy. `counters` are all of them; `own` is the one that was in its key's balance, 0 where none was. */
export type Chain = { accounts: string[]; own: number; counters: number[] };

export type Hold = {
  keyId: string;
  chain: Chain;
  granted: Amounts;
  processId: string;
  /** Of the last checkpoint. */
  credits: bigint;
  input: number;
  output: number;
  seq: number;
  delivered: boolean;
  admittedAtMs: number;
  deadlineMs: number;
};

export type ChargeKind = Outcome | "swept" | "voided";
export type Charge = {
  keyId: string;
  /** Null: barred before it was admitted. */
  chain: Chain | null;
  granted: Amounts;
  charged: Amounts;
  kind: ChargeKind;
  input: number;
  output: number;
  reported: boolean;
  admittedAtMs: number;
  atMs: number;
};

export type RefundEntry = { keyId: string; holdId: string; kind: "refund" | "void"; amounts: Amounts; atMs: number };

export type FundingEntry = {
  counter: number;
  kind: FundingKind | "limit" | "turn";
  amount: bigint;
  periodNo: number;
  /** Their order within a counter, whatever the clock said. */
  seq: number;
  /** Of a limit. */
  period: BudgetPeriod | null;
  atMs: number;
};

/** Percentages of a limit, or amounts left of a purse. */
export type Threshold = { counter: number; marks: string[] };
export const marksOf = (state: State, number: number, { kind }: Counter): bigint[] =>
  (state.thresholds.get(String(number))?.marks ?? (kind === "limit" ? ["80", "100"] : ["0"])).map(BigInt);
/** How much of a limit is used at a percentage of it, rounded up. */
export const usedAt = ({ amount }: Counter, mark: bigint): bigint => (amount * mark + 99n) / 100n;
export const noticeName = (number: number, { periodNo, revision }: Counter, mark: bigint): string =>
  `${number} ${periodNo} ${revision} ${mark}`;
export type Notice = {
  counter: number;
  unit: Unit;
  period: BudgetPeriod;
  periodNo: number;
  revision: number;
  kind: "percent" | "left";
  value: bigint;
  cause: "used" | "left" | "refused" | "too_large";
  amount: bigint;
  used: bigint;
  posted: bigint;
  held: bigint;
  renewsAtMs: number | null;
  atMs: number;
};

export type ClaimEntry = {
  fingerprint: string;
  state: "in_flight" | "stored" | "unavailable" | "interrupted";
  holdId: string;
  answer: { status: number; contentType: string; body: string } | null;
  expiresAtMs: number;
};

/** What a key could not pay, what it had done for nobody, what a provider's failure after content waived, and what was undone. */
export type HouseKind = "overrun" | "write_off" | "failed" | "voided";
export type HouseEntry = { keyId: string; kind: HouseKind; amount: bigint; unit: Unit; atMs: number };
/** `minute` counts from 1970. */
export type BorneEntry = { bearer: string; minute: number; caused: bigint; failed: bigint };

/** `timeline` is that of the server at the last renewal. */
export type Process = { renewingSinceMs: number; leaseUntilMs: number; timeline: number };

export const emptyState = (): State => ({
  accounts: new Map(),
  keys: new Map(),
  counters: new Map(),
  holds: new Map(),
  charges: new Map(),
  refunds: new Map(),
  funding: new Map(),
  thresholds: new Map(),
  notices: new Map(),
  claims: new Map(),
  processes: new Map(),
  quarantine: new Map(),
  house: new Map(),
  borne: new Map(),
});

export const newKey = (unit: Unit, accountId: string): Key => ({
  unit,
  accountId,
  version: 1,
  status: "active",
  own: 0,
  counters: [],
  spent: 0n,
  day: -Infinity,
  todaySpend: 0n,
  lastCost: 0n,
  requests: 0n,
  tokensIn: 0n,
  tokensOut: 0n,
  rate: [],
});

export const newCounter = (of: Pick<Counter, "accountId" | "keyId" | "kind" | "unit"> & Partial<Counter>): Counter => ({
  models: null,
  amount: 0n,
  period: "none",
  periodNo: 0,
  periodFromMs: -Infinity,
  periodEndsAtMs: Infinity,
  revision: 1,
  due: null,
  fundings: 0,
  closed: false,
  posted: 0n,
  held: 0n,
  olderHeld: 0n,
  used: 0n,
  funded: 0n,
  refunded: 0n,
  ...of,
});

/** Where a charge, a hold or a refund was admitted in a counter's present period, or before it. */
export const isLive = ({ admittedAtMs }: { admittedAtMs: number }, { periodFromMs }: Counter): boolean =>
  admittedAtMs >= periodFromMs;

export const UNIT_NAMES = ["credits", "tokens"] as const;
export type UnitName = (typeof UNIT_NAMES)[number];
export const unitName = (unit: Unit): UnitName => (unit === "credit" ? "credits" : "tokens");
export const namedUnit = (name: UnitName): Unit => (name === "credits" ? "credit" : "tokens");
