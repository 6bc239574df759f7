import type { Unit } from "../core/amount.ts";
import type { BudgetPeriod } from "../core/budget-period.ts";
import type { KeyMode } from "../core/key-mode.ts";
import type { UsageSummary } from "./ledger.ts";

/** As much of a key as its account needs. */
export type AccountHolder = { id: string; prefix: string; mode: KeyMode };

/** The key that an operator's word for it means. */
export type FindAccount = (name: string) => Promise<AccountHolder>;

/** A key's money as operators see it. Amounts are in its unit. */
export type Account = {
  unit: Unit;
  balance: bigint;
  reserved: bigint;
  available: bigint;
  /** Credit: all that was ever paid in. Tokens: always 0. */
  purchased: bigint;
  /** Credit: all charges. Tokens: those of this period. */
  used: bigint;
  /** Of a credit key these three are null. */
  budget: bigint | null;
  period: BudgetPeriod | null;
  periodEndsAtMs: number | null;
  today: bigint;
  lastRequest: bigint;
  requests: number;
  inputTokens: number;
  outputTokens: number;
};

export function accountOf(summary: UsageSummary, period: BudgetPeriod): Account {
  const { unit, posted, held } = summary;
  const hasBudget = unit === "tokens";
  return {
    unit,
    balance: posted,
    reserved: held,
    available: posted - held,
    purchased: summary.purchased,
    used: summary.used,
    budget: hasBudget ? summary.budget : null,
    period: hasBudget ? period : null,
    periodEndsAtMs: hasBudget ? summary.periodEndsAtMs : null,
    today: summary.todaySpend,
    lastRequest: summary.lastCost,
    requests: Number(summary.requests),
    inputTokens: Number(summary.inputTokens),
    outputTokens: Number(summary.outputTokens),
  };
}
