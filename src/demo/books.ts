import type { Amounts, Unit } from "../core/amount.ts";
import type { BudgetPeriod } from "../core/budget-period.ts";
import type { CounterKind } from "../core/counter.ts";
import { formatCredits } from "../core/money.ts";

/** A counter as the database has it, and as requests change it until they are written down. */
export type BookCounter = {
  id: number;
  kind: CounterKind;
  unit: Unit;
  amount: bigint;
  posted: bigint;
  period: BudgetPeriod;
  renewsAtMs: number | null;
  /** The account that it belongs to; null: the key itself. */
  holder: string | null;
};

export type BookKey = {
  label: string;
  keyId: string;
  keyNo: number;
  chain: number;
  /** From the root down; none for a key that is its own account. */
  accounts: readonly string[];
  counters: readonly BookCounter[];
};

/** What a request may take of each counter; a bound that keeps one from taking everything. */
export function grantOf({ counters }: BookKey, { most }: { most: Amounts }): Amounts {
  const least = (unit: Unit, asked: bigint | null): bigint | null => {
    const counted = counters.filter((counter) => counter.unit === unit);
    if (counted.length === 0 || asked === null) return null;
    return counted.reduce((granted, { posted }) => (posted < granted ? posted : granted), asked);
  };
  return { credits: least("credit", most.credits), tokens: least("tokens", most.tokens) };
}

const needOf = (unit: Unit, need: Amounts): bigint => (unit === "credit" ? need.credits : need.tokens) ?? 0n;

/** The counter that can't pay for it; undefined: all can. */
export const lackingFor = ({ counters }: BookKey, need: Amounts): BookCounter | undefined =>
  counters.find(({ unit, posted }) => needOf(unit, need) > posted);

export function pay({ counters }: BookKey, paid: Amounts): void {
  for (const counter of counters) counter.posted -= needOf(counter.unit, paid);
}

const WHEN: Record<BudgetPeriod, string> = { none: "", day: " today", week: " this week", month: " this month" };
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

const figure = (unit: Unit, amount: bigint): string =>
  unit === "credit" ? formatCredits(amount) : amount.toLocaleString("en-US");

/** As the gateway tells a client why its request can't start. */
export function refusalWords(
  { kind, unit, amount, posted, period, holder, renewsAtMs }: BookCounter,
  need: Amounts,
): string {
  const word = unit === "credit" ? "credits" : "tokens";
  const of = kind === "limit" ? ` of ${figure(unit, amount)}` : "";
  const has = `${holder ?? "This key"} has ${figure(unit, posted)}${of} ${word} left${WHEN[period]}`;
  const remedy = renewsAtMs === null ? "Ask the operator to top it up." : `Renews ${DATE.format(renewsAtMs)}.`;
  return `${has}; this request needs at least ${figure(unit, needOf(unit, need))}. ${remedy}`;
}
