import type { BudgetPeriod } from "../../core/money/budget-period.ts";
import type { CounterSummary } from "../../ledger/ledger.ts";

/** A limit that renews, and how much of it is used. */
export type UsedLimit = {
  period: Exclude<BudgetPeriod, "none">;
  amount: bigint;
  used: bigint;
  /** From 0 to 1. */
  share: number;
  renewsAtMs: number;
};

/** The limits in credits that renew, for whatever model, the fullest first. */
export const renewingLimits = (counters: readonly CounterSummary[]): UsedLimit[] =>
  counters
    .flatMap(({ kind, unit, models, amount, posted, period, renewsAtMs }) =>
      kind === "limit" && unit === "credit" && models === null && period !== "none" && renewsAtMs !== null
        ? [limitOf({ amount, posted, period, renewsAtMs })]
        : [],
    )
    .toSorted((one, other) => other.share - one.share);

type Renewing = Pick<CounterSummary, "amount" | "posted"> & Pick<UsedLimit, "period" | "renewsAtMs">;

function limitOf({ amount, posted, period, renewsAtMs }: Renewing): UsedLimit {
  const used = amount - posted > 0n ? amount - posted : 0n;
  const share = amount <= 0n ? 1 : Math.min(1, Number((used * 1_000_000n) / amount) / 1_000_000);
  return { period, amount, used, share, renewsAtMs };
}
