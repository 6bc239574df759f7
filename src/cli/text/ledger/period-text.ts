import { formatAmount } from "../../../core/money/amount.ts";
import type { PeriodAhead } from "../../../operator/storage.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts } from "../table.ts";

export const periodsView = (limits: readonly PeriodAhead[]) => ({
  limits: limits.map((limit) => ({
    limit: limit.counter,
    key_id: limit.keyId,
    account_id: limit.accountId,
    holder: limit.holder,
    unit: limit.unit,
    period: limit.period,
    amount: formatAmount(limit.unit, limit.amount),
    ahead_at: limit.aheadAt,
    begins_at: limit.beginsAt,
    ends_at: limit.endsAt,
    used: formatAmount(limit.unit, limit.used),
    available: formatAmount(limit.unit, limit.posted),
    result: limit.result,
  })),
});

export function periodListing(limits: readonly PeriodAhead[], screen: Screen = PLAIN): string {
  if (limits.length === 0) return "No limit is in a period more than an hour ahead of the clock. Nothing to do.";
  const each = limits.map((limit) =>
    facts(
      `limit ${limit.counter}`,
      [
        ["holder", limit.holder],
        ["amount", `${amountOf(limit, limit.amount)} by the ${limit.period}`],
        ["is in the period of", limit.aheadAt.toISOString()],
        [limit.result === "brought_back" ? "brought back to" : "would go back to", limit.beginsAt.toISOString()],
        ["used", amountOf(limit, limit.used)],
        ["available", amountOf(limit, limit.posted)],
      ],
      screen,
    ),
  );
  return `${each.join("\n\n")}\n\n${whatNext(limits)}`;
}

function whatNext(limits: readonly PeriodAhead[]): string {
  const held = limits.filter(({ result }) => result === "held").length;
  if (held > 0)
    return `${held} of ${limits.length} can't be brought back yet, because their requests are still running. Run this again in a few minutes.`;
  if (limits.every(({ result }) => result === "brought_back"))
    return `Brought back: ${limits.length}. Check it with \`tollgate ledger verify\`.`;
  return "Check that the clock of the database server is right. Then bring them back with `tollgate ledger periods --apply`.";
}

const amountOf = ({ unit }: PeriodAhead, amount: bigint): string =>
  `${formatAmount(unit, amount)} ${unit === "credit" ? "credits" : "tokens"}`;
