import type { Unit } from "../../core/money/amount.ts";
import type { BudgetPeriod } from "../../core/money/budget-period.ts";
import type { KeyMode } from "../../core/people/key-mode.ts";
import type { CounterSummary, UsageSummary } from "../ledger.ts";

/** As much of a key as its money needs. */
export type FundedHolder = { id: string; prefix: string; mode: KeyMode; accountId: string };

/** The key that an operator's word for it means. */
export type FindFunded = (name: string) => Promise<FundedHolder>;

/** A key's money as operators see it. Amounts are in its unit, and those of its counter that has least. */
export type KeyFunds = {
  unit: Unit;
  balance: bigint;
  reserved: bigint;
  available: bigint;
  /** Of a purse: all that was ever paid in. Of a limit: 0. */
  purchased: bigint;
  /** Of a purse: all charges. Of a limit: those of this period. */
  used: bigint;
  /** Of a purse these three are null. */
  budget: bigint | null;
  period: BudgetPeriod | null;
  periodEndsAtMs: number | null;
  /** The rest is the key's own, whoever paid. */
  today: bigint;
  lastRequest: bigint;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  /** Credits. */
  spent: bigint;
  /** All that its requests must satisfy: its own first, then from its account up to the root. */
  counters: readonly CounterSummary[];
};

const NOTHING = { posted: 0n, held: 0n, funded: 0n, used: 0n, amount: 0n, period: "none", renewsAtMs: null } as const;

/** What a key without any counter of its unit has: nothing, of no limit. */
export function keyFundsOf(summary: UsageSummary): KeyFunds {
  const binding = bindingCounter(summary);
  const { posted, held, funded, used, amount, period, renewsAtMs } = binding ?? NOTHING;
  const isLimit = binding?.kind === "limit";
  return {
    unit: summary.unit,
    balance: posted,
    reserved: held,
    available: posted - held,
    purchased: isLimit ? 0n : funded,
    used,
    budget: isLimit ? amount : null,
    period: isLimit ? period : null,
    periodEndsAtMs: isLimit ? renewsAtMs : null,
    today: summary.todaySpend,
    lastRequest: summary.lastCost,
    requests: Number(summary.requests),
    inputTokens: Number(summary.inputTokens),
    outputTokens: Number(summary.outputTokens),
    spent: summary.spent,
    counters: summary.counters,
  };
}

/** The counter with least available of those that count every request of the key in its unit. */
function bindingCounter({ unit, counters }: UsageSummary): CounterSummary | null {
  let least: CounterSummary | null = null;
  for (const counter of counters) {
    if (counter.unit !== unit || counter.models !== null) continue;
    if (least === null || counter.posted - counter.held < least.posted - least.held) least = counter;
  }
  return least;
}
