import type { Unit } from "../../core/money/amount.ts";

/** A closed purse that has something: it was given back what had been charged to it. */
export type ClosedPurse = {
  counter: number;
  unit: Unit;
  amount: bigint;
  /** Whose it was: one of the two is null. */
  key: { id: string; prefix: string } | null;
  account: { id: string; title: string } | null;
  /** Whether an open purse pays for its holder now. */
  hasPayer: boolean;
};

/** `empty`: it has nothing, or no more. `no_purse`: there is no open purse of its unit to move it to. */
export type MovedPurse =
  | { kind: "moved"; unit: Unit; amount: bigint; to: number }
  | { kind: "empty" | "no_purse" | "not_closed" | "unknown_counter" };

export type ClosedPurses = {
  /** The first of those that have something, by number; `within`: only of these accounts and of what is below them. */
  list: (within: readonly string[] | null, limit: number) => Promise<ClosedPurse[]>;
  /** All that it has, to the open purse that pays for its holder, or for another that is named. */
  move: (order: {
    from: number;
    to: { keyId: string } | { accountId: string } | null;
    actor: string;
  }) => Promise<MovedPurse>;
};
