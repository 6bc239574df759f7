import type { BudgetPeriod } from "../../src/core/budget-period.ts";
import type { FundingKind } from "../../src/ledger/ledger.ts";
import type { Outcome } from "../../src/core/usage.ts";

/** Everything the ledger knows, in the shape of its tables. Both the model and a database can be read as this. */
export type State = {
  accounts: Map<string, Account>;
  holds: Map<string, Hold>;
  charges: Map<string, Charge>;
  /** By key and reference. */
  funding: Map<string, FundingEntry>;
  /** By key and digest. */
  claims: Map<string, ClaimEntry>;
  processes: Map<string, Process>;
  /** By hold: those that no sweep could end. */
  quarantine: Map<string, { keyId: string; sinceMs: number }>;
  /** By hold and kind: what the operator bears. */
  house: Map<string, HouseEntry>;
  /** The same by key and minute, for an hour. */
  borne: Map<string, BorneEntry>;
  /** By hold: the usage record. */
  records: Map<string, RecordEntry>;
};

export type Account = {
  unit: "credit" | "tokens";
  version: number;
  status: "active" | "suspended";
  posted: bigint;
  held: bigint;
  olderHeld: bigint;
  purchased: bigint;
  used: bigint;
  budget: bigint;
  period: BudgetPeriod;
  periodNo: number;
  periodEndsAtMs: number;
  day: number;
  todaySpend: bigint;
  lastCost: bigint;
  requests: bigint;
  tokensIn: bigint;
  tokensOut: bigint;
  /** Accepted requests by the second, the oldest first, with the time of the last in each. */
  rate: Second[];
  /** How many fundings it has had. */
  fundings: number;
};

export type Second = { lastMs: number; count: number };

export type Hold = {
  keyId: string;
  amount: bigint;
  periodNo: number;
  processId: string;
  cost: bigint;
  tokensIn: bigint;
  tokensOut: bigint;
  seq: number;
  delivered: boolean;
  admittedAtMs: number;
  deadlineMs: number;
};

export type ChargeKind = Outcome | "swept" | "voided";
export type Charge = {
  keyId: string;
  granted: bigint;
  amount: bigint;
  kind: ChargeKind;
  periodNo: number;
  tokensIn: bigint;
  tokensOut: bigint;
  atMs: number;
};

export type FundingEntry = {
  keyId: string;
  kind: FundingKind | "budget" | "period_reset";
  amount: bigint;
  periodNo: number;
  about: string | null;
  /** Their order within a key, whatever the clock said. */
  seq: number;
  /** Of a budget. */
  period: BudgetPeriod | null;
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
export type HouseEntry = { keyId: string; kind: HouseKind; amount: bigint; unit: Account["unit"]; atMs: number };
/** `minute` counts from 1970. */
export type BorneEntry = { keyId: string; minute: number; caused: bigint; failed: bigint };

export type RecordEntry = { keyId: string; cost: bigint; outcome: Outcome; atMs: number };

/** `timeline` is that of the server at the last renewal. */
export type Process = { renewingSinceMs: number; leaseUntilMs: number; timeline: number };

export const emptyState = (): State => ({
  accounts: new Map(),
  holds: new Map(),
  charges: new Map(),
  funding: new Map(),
  claims: new Map(),
  processes: new Map(),
  quarantine: new Map(),
  house: new Map(),
  borne: new Map(),
  records: new Map(),
});

export const newAccount = (unit: Account["unit"]): Account => ({
  unit,
  version: 1,
  status: "active",
  posted: 0n,
  held: 0n,
  olderHeld: 0n,
  purchased: 0n,
  used: 0n,
  budget: 0n,
  period: "month",
  periodNo: 0,
  periodEndsAtMs: Infinity,
  day: -Infinity,
  todaySpend: 0n,
  lastCost: 0n,
  requests: 0n,
  tokensIn: 0n,
  tokensOut: 0n,
  rate: [],
  fundings: 0,
});
