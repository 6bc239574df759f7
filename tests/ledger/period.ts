import type { BudgetPeriod } from "../../src/core/budget-period.ts";
import type { Account } from "./state.ts";

/** Null where a period never ends. */
export const endOf = ({ periodEndsAtMs }: { periodEndsAtMs: number }): number | null =>
  periodEndsAtMs === Infinity ? null : periodEndsAtMs;

/** A cut below what is used or held leaves what is held, until it ends. */
export const postedTokens = ({ budget, used, olderHeld, held }: Account): bigint =>
  budget - used + olderHeld > held ? budget - used + olderHeld : held;

/** UTC; weeks begin on Monday. */
export function periodEndMs(period: BudgetPeriod, atMs: number): number {
  const at = new Date(atMs);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (period === "day") return Date.UTC(year, month, day + 1);
  if (period === "week") return Date.UTC(year, month, day + 7 - ((at.getUTCDay() + 6) % 7));
  if (period === "month") return Date.UTC(year, month + 1, 1);
  return Infinity;
}
