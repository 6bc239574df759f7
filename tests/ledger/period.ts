import type { BudgetPeriod } from "../../src/core/money/budget-period.ts";
import type { Counter } from "./state.ts";

/** Null where a period never ends. */
export const endOf = ({ periodEndsAtMs }: { periodEndsAtMs: number }): number | null =>
  periodEndsAtMs === Infinity ? null : periodEndsAtMs;

/** A cut below what is used or held leaves what is held, until it ends. */
export const postedLimit = ({ amount, refunded, used, olderHeld, held }: Counter): bigint =>
  amount + refunded - used + olderHeld > held ? amount + refunded - used + olderHeld : held;

/** As a verdict counts it: of a limit cut below its holds, what its amount leaves, which is all there is when they end at nothing. */
export function postedNow({ kind, amount, refunded, used, posted, olderHeld }: Counter): bigint {
  const left = amount + refunded - used > 0n ? amount + refunded - used : 0n;
  return kind === "limit" && left < posted - olderHeld ? left : posted - olderHeld;
}

/** UTC; weeks begin on Monday. */
export function periodEndMs(period: BudgetPeriod, atMs: number): number {
  const at = new Date(atMs);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (period === "day") return Date.UTC(year, month, day + 1);
  if (period === "week") return Date.UTC(year, month, day + 7 - ((at.getUTCDay() + 6) % 7));
  if (period === "month") return Date.UTC(year, month + 1, 1);
  return Infinity;
}

export function periodStartMs(period: BudgetPeriod, atMs: number): number {
  const at = new Date(atMs);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (period === "day") return Date.UTC(year, month, day);
  if (period === "week") return Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7));
  if (period === "month") return Date.UTC(year, month, 1);
  return -Infinity;
}
