import type { Amounts, Unit } from "../src/core/money/amount.ts";
import type { BudgetPeriod } from "../src/core/money/budget-period.ts";
import type { ChainRef, CounterKind } from "../src/core/money/counter.ts";
import { formatCredits } from "../src/core/money/money.ts";
import type { NamedCounter } from "../src/ledger/ledger.ts";

/** A counter of a key as the database has it. `holder`: the account that it belongs to; null: the key itself. */
type BookCounter = { kind: CounterKind; unit: Unit; posted: bigint; holder: string | null };

export type BookKey = {
  label: string;
  keyId: string;
  bucket: number;
  version: number;
  chain: ChainRef;
  /** From the root down; none for a key that is its own account. */
  accounts: readonly string[];
  counters: readonly BookCounter[];
};

/** Amounts in the units that the key is counted in. */
export function inUnits({ counters }: BookKey, { credits, tokens }: Amounts): Amounts {
  const counts = (unit: Unit): boolean => counters.some((counter) => counter.unit === unit);
  return { credits: counts("credit") ? credits : null, tokens: counts("tokens") ? tokens : null };
}

const WHEN: Record<BudgetPeriod, string> = { none: "", day: " today", week: " this week", month: " this month" };
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

const figure = (unit: Unit, amount: bigint): string =>
  unit === "credit" ? formatCredits(amount) : amount.toLocaleString("en-US");

/** As the gateway tells a client why its request can't start. */
export function refusalWords(
  { kind, unit, amount, available, period, holder, renewsAtMs }: NamedCounter,
  need: Amounts,
): string {
  const word = unit === "credit" ? "credits" : "tokens";
  const of = kind === "limit" ? ` of ${figure(unit, amount)}` : "";
  const has = `${holder ?? "This key"} has ${figure(unit, available)}${of} ${word} left${WHEN[period]}`;
  const needed = (unit === "credit" ? need.credits : need.tokens) ?? 0n;
  const remedy = renewsAtMs === null ? "Ask the operator to top it up." : `Renews ${DATE.format(renewsAtMs)}.`;
  return `${has}; this request needs at least ${figure(unit, needed)}. ${remedy}`;
}
