import type { Unit } from "../../core/money/amount.ts";
import type { KeyMode } from "../../core/people/key-mode.ts";
import type { CounterSummary } from "../ledger.ts";

export const ACCOUNT_STATUSES = ["active", "suspended", "disabled", "closed"] as const;

/** Whoever pays or is limited. */
export type AccountRow = {
  id: string;
  parentId: string | null;
  /** From the root down to this one. */
  path: readonly string[];
  name: string;
  /** The names from the root down: `Acme/Search/Ann`. */
  title: string;
  /** What lists are sorted by. */
  sorted: string;
  kind: string;
  bucket: number;
  /** What an operator set. */
  status: (typeof ACCOUNT_STATUSES)[number];
  /** The worst on the way from the root. */
  state: (typeof ACCOUNT_STATUSES)[number];
  createdAtMs: number;
  /** Tiers that keys here and below may ask for; null: all that are sold. */
  tiers: readonly string[] | null;
  /** Regions that requests of keys here and below may run in; null: anywhere. */
  regions: readonly string[] | null;
  /** How many keys it has itself. */
  keys: number;
};

/** A counter and whose it is. */
export type HeldCounter = CounterSummary & { keyId: string | null };

/** A key of an account. */
export type AccountKey = {
  id: string;
  accountId: string;
  prefix: string | null;
  label: string | null;
  mode: KeyMode;
  status: string;
  /** Credits. */
  spent: bigint;
  /** In the unit of its mode. */
  today: bigint;
};

/** What a key has left in the unit of its mode, by the purse or limit that has least; null: nothing counts it. */
export type KeyMoney = {
  unit: Unit;
  charged: bigint | null;
  reserved: bigint | null;
  available: bigint | null;
  /** Credits. */
  spent: bigint;
  tokens: bigint;
  /** The title of its account; null: it is its own. */
  account: string | null;
};

/** What operators ask of accounts and counters that the ledger's own calls do not say. */
export type AccountStore = {
  /** Not of one that belongs to a single key. */
  byId: (id: string) => Promise<AccountRow | null>;
  /** In the order of names, so many at most. Null: the roots. */
  childNames: (parentId: string | null, limit: number) => Promise<string[]>;
  childNamed: (parentId: string | null, name: string) => Promise<AccountRow | null>;
  /** Those that are not closed, each followed by what is below it. `within`: these alone and what is below them; `search`: those that have it in their name; null: all. */
  list: (page: {
    limit: number;
    after: { sorted: string; id: string } | null;
    within: readonly string[] | null;
    search: string | null;
  }) => Promise<AccountRow[]>;
  /** An account and those below it, in that order. */
  below: (id: string, limit: number) => Promise<AccountRow[]>;
  countersOf: (accountIds: readonly string[]) => Promise<HeldCounter[]>;
  countersOfKeys: (keyIds: readonly string[]) => Promise<HeldCounter[]>;
  counter: (id: number) => Promise<HeldCounter | null>;
  /** What the limits of an account, of those below it and of their keys count, each once. */
  limitsBelow: (id: string) => Promise<Pick<HeldCounter, "unit" | "models">[]>;
  keysIn: (accountIds: readonly string[], limit: number) => Promise<AccountKey[]>;
  moneyOf: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, KeyMoney>>;
  /** Where a payment was booked to; null when there is none. */
  paidTo: (reference: string) => Promise<{ holder: string; id: number } | null>;
};
