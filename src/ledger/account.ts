import type { BudgetPeriod } from "../core/budget-period.ts";
import type { KeyMode } from "../core/key-mode.ts";
import { formatCredits } from "../core/money.ts";
import type { UsageSummary } from "./ledger.ts";

/** The key that an operator's word for it means. */
export type FindAccount = (idOrPrefix: string) => Promise<{ id: string; prefix: string; mode: KeyMode }>;

export type Unit = UsageSummary["unit"];

/** A key's money as operators see it. Amounts are decimals in the key's unit, as text: no double ever holds one. */
export type AccountView = {
  unit: Unit;
  balance: string;
  reserved: string;
  available: string;
  /** Credit: all that was ever paid in. Tokens: always 0. */
  purchased: string;
  /** Credit: all charges. Tokens: those of this period. */
  used: string;
  budget: string | null;
  period: BudgetPeriod | null;
  period_ends_at: string | null;
  today: string;
  last_request: string;
  requests: number;
  input_tokens: number;
  output_tokens: number;
};

export function accountView(summary: UsageSummary, period: BudgetPeriod): AccountView {
  const { unit, posted, held, periodEndsAtMs } = summary;
  const amount = (value: bigint): string => formatAmount(unit, value);
  return {
    unit,
    balance: amount(posted),
    reserved: amount(held),
    available: amount(posted - held),
    purchased: amount(summary.purchased),
    used: amount(summary.used),
    budget: unit === "tokens" ? amount(summary.budget) : null,
    period: unit === "tokens" ? period : null,
    period_ends_at: unit === "tokens" && periodEndsAtMs !== null ? new Date(periodEndsAtMs).toISOString() : null,
    today: amount(summary.todaySpend),
    last_request: amount(summary.lastCost),
    requests: Number(summary.requests),
    input_tokens: Number(summary.inputTokens),
    output_tokens: Number(summary.outputTokens),
  };
}

export const formatAmount = (unit: Unit, amount: bigint): string =>
  unit === "credit" ? formatCredits(amount) : String(amount);
