import { type Command, Option } from "commander";
import type { Unit } from "../../../core/money/amount.ts";
import { BUDGET_PERIODS, type BudgetPeriod } from "../../../core/money/budget-period.ts";
import type { LimitOrder, LimitRemoved, LimitSet, WhichLimit } from "../../../operator/money/limits.ts";
import { limitSetSchema } from "../../../wire/admin/limit.ts";
import { written } from "../../../wire/validate.ts";
import { creditAmount, tokenCount } from "../../arguments.ts";
import { countersTable } from "../../text/accounts/account-text.ts";
import { printResult } from "../../text/print.ts";

export type LimitOptions = { unit: "credits" | "tokens"; period: BudgetPeriod; models?: string[]; json?: true };

/** What a limit counts, the same for accounts and keys. */
export const addLimitOptions = (command: Command): Command =>
  command
    .addOption(new Option("--unit <unit>", "what it counts").choices(["credits", "tokens"]).default("credits"))
    .addOption(new Option("--period <period>", "how often it renews, in UTC").choices(BUDGET_PERIODS).default("month"))
    .option("--models <pattern...>", "count only models that match, such as 'gpt-*' (default: all models)")
    .option("--json", "print JSON");

export const whichLimit = ({ unit, period, models }: LimitOptions): WhichLimit => ({
  unit: unit === "credits" ? "credit" : "tokens",
  period,
  models: models ?? null,
});

/** The amount, which is read in the unit of the limit. */
export const amountIn = (unit: Unit, text: string): bigint =>
  unit === "credit" ? creditAmount(text) : BigInt(tokenCount(text));

type Setting = {
  set: (order: LimitOrder) => Promise<LimitSet>;
  remove: (which: WhichLimit) => Promise<LimitRemoved>;
};

/** Sets or, by the word none, removes a limit, and prints it. */
export async function applyLimit(
  { name, amount, options }: { name: string; amount: string; options: LimitOptions },
  { set, remove }: Setting,
): Promise<void> {
  const which = whichLimit(options);
  const json = options.json === true;
  if (amount === "none") {
    const removed = await remove(which);
    const text = removed.result === "removed" ? `Removed this limit of ${name}.` : `${name} had no such limit.`;
    printResult(removed, { json, text: () => text });
    return;
  }
  const shown = written(limitSetSchema, await set({ ...which, amount: amountIn(which.unit, amount) }));
  printResult(shown, {
    json,
    text: (screen) =>
      `${shown.result === "set" ? "Set" : "Unchanged"}:\n${countersTable([[name, shown.counter]], screen)}`,
  });
}
