import type { Unit } from "../../core/money/amount.ts";
import type { BudgetPeriod } from "../../core/money/budget-period.ts";

/** A limit whose period was begun by a clock that was more than an hour ahead, and what it has in the period of the clock. */
export type PeriodAhead = {
  counter: number;
  keyId: string | null;
  accountId: string | null;
  /** What its holder is called. */
  holder: string;
  unit: Unit;
  period: BudgetPeriod;
  amount: bigint;
  /** Of the period that it is in. */
  aheadAt: Date;
  beginsAt: Date;
  endsAt: Date;
  used: bigint;
  posted: bigint;
  /** `held`: requests of it have not ended yet, so that it stays as it is. */
  result: "ahead" | "brought_back" | "held";
};

/** All of them, brought back where `apply` says so. */
export type RepairPeriods = (how: { apply: boolean; actor: string }) => Promise<PeriodAhead[]>;
