import type { Unit } from "../../core/money/amount.ts";
import type { BudgetPeriod } from "../../core/money/budget-period.ts";
import type { CounterKind } from "../../core/money/counter.ts";

export type AccountOrder = {
  /** Made before the call, so that an unanswered call can be repeated. */
  id: string;
  /** Null: the root of a tree. */
  parentId: string | null;
  name: string;
  /** What people call it: organisation, team, person, project, customer. */
  kind: string;
  /** Of a root. Others lie where their tree does. */
  bucket: number;
};

/** Whose a counter is. */
export type CounterHolder = { accountId: string } | { keyId: string };

export type CounterOrder = CounterHolder & {
  kind: CounterKind;
  unit: Unit;
  /** Of a limit: what a period has. 0 of a purse, which is fed by funding. */
  amount: bigint;
  /** `none` of a purse. */
  period: BudgetPeriod;
  models: readonly string[] | null;
  actor: string;
};

/** What an operator sets. `closed` is for good and has a call of its own. */
export type AccountStatus = "active" | "suspended" | "disabled";

export type StructureRefusal =
  | "unknown_account"
  | "unknown_key"
  | "unknown_counter"
  | "id_taken"
  | "name_taken"
  | "too_deep"
  | "closed"
  | "into_itself"
  | "other_bucket"
  | "other_tree"
  | "funded"
  | "held"
  | "exists"
  | "second_purse"
  | "too_many_counters"
  | "lone"
  | "not_lone"
  | "revoked"
  | "no_counter";

/** What a change of the structure came to. Refused, nothing has changed. */
export type Changed = {
  /** `already`: it was so before. */
  result: "done" | "already" | StructureRefusal;
  /** The one that was made, or the one that is there already. */
  counter: number | null;
  accountId: string | null;
  keyId: string | null;
  /** Who stands in the way, from the root down, in words: `Acme/Search`, `key Ann's laptop`. */
  holders: readonly string[];
  /** How many counters or levels there would be. */
  number: number | null;
};

/**
 * Changes who is below whom and what each may spend. Each call is one transaction. The keys below an account learn of a change
 * 256 at a time: the first of them in its transaction, the others by `rechain`.
 */
export type Structure = {
  openAccount: (order: AccountOrder) => Promise<Changed>;
  /** Puts an account and all below it under another of its bucket, or gives it another name, or both. */
  changeAccount: (accountId: string, change: { parentId?: string; name?: string }) => Promise<Changed>;
  setStatus: (accountId: string, status: AccountStatus) => Promise<Changed>;
  /** Which tiers the keys here and below may ask for; null: all that are sold. */
  setTiers: (accountId: string, tiers: readonly string[] | null) => Promise<Changed>;
  /** In which regions requests of the keys here and below may run; null: anywhere. */
  setRegions: (accountId: string, regions: readonly string[] | null) => Promise<Changed>;
  /** For good, with all below it: no purse may have money, and no request may be open. */
  closeAccount: (accountId: string) => Promise<Changed>;
  openCounter: (order: CounterOrder) => Promise<Changed>;
  /** A purse must be empty. */
  closeCounter: (counter: number) => Promise<Changed>;
  moveKey: (keyId: string, accountId: string) => Promise<Changed>;
  /** Takes a key that is its own account into a tree. It keeps its secrets. */
  adoptKey: (keyId: string, accountId: string) => Promise<Changed>;
  /** Answers whether some keys had yet to learn of a change: call it again until none has. */
  rechain: () => Promise<boolean>;
};
