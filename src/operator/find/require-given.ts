import type { Unit } from "../../core/money/amount.ts";
import type { By } from "../../core/people/by.ts";
import { Conflict } from "../../core/conflict.ts";
import type { AccountStore, HeldCounter } from "../../ledger/structure/account.ts";

/** What a limit counts. */
type Counted = { unit: Unit; models: readonly string[] | null };

/**
 * A limit is money to a key that nothing else counts. So a lead sets, changes, moves and removes limits only where a purse or limit
 * that others gave, at or above the lead's account, counts the same and more: all that is below cannot spend more than that.
 * `path`: the accounts from the root down to where the limits are to be.
 */
export type RequireGiven = (
  path: readonly string[],
  limits: readonly Counted[],
  by: Pick<By, "within">,
) => Promise<void>;

export const createRequireGiven =
  ({ accounts }: { accounts: Pick<AccountStore, "countersOf" | "byId"> }): RequireGiven =>
  async (path, limits, { within }) => {
    if (within === undefined || limits.length === 0) return;
    const theirs = path.findLastIndex((account) => within.includes(account));
    const given = await accounts.countersOf(path.slice(0, theirs + 1));
    const lacking = limits.find((limit) => !given.some((counter) => covers(counter, limit)));
    if (lacking === undefined) return;
    const title = (await accounts.byId(path[theirs] ?? ""))?.title ?? "of yours";
    throw new Conflict(refusal(title, lacking));
  };

/** Whether each request that the limit counts counts here, too. Patterns are compared as they are written. */
const covers = ({ unit, models }: HeldCounter, limit: Counted): boolean =>
  unit === limit.unit && (models === null || (limit.models?.every((pattern) => models.includes(pattern)) ?? false));

function refusal(title: string, { unit, models }: Counted): string {
  const what = unit === "credit" ? "credits" : "tokens";
  const on = models === null ? "" : ` for ${models.join(", ")}`;
  return `Account ${title} and those above it have 0 purses or limits in ${what}${on}, so a limit below it would create ${what}. Ask an operator to give ${title} a limit in ${what} first.`;
}
