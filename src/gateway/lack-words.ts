import type { Demand } from "../admission/demand.ts";
import { type Amounts, amountIn, type Unit } from "../core/money/amount.ts";
import { formatCredits } from "../core/money/money.ts";
import type { BudgetPeriod } from "../core/money/budget-period.ts";
import type { Lack, NamedCounter } from "../ledger/ledger.ts";
import type { LimitAdvice } from "./limit-advice.ts";

/** What a refusal for money knows beside the counters. */
export type Needed = {
  demand: Demand;
  /** What it needs whatever its text comes to, if the text was not counted for lack of that; null: what it demands stands. */
  floor: Amounts | null;
  advice: LimitAdvice;
  /** Those that the counter which refused counts; null: all. */
  models: readonly string[] | null;
};

/** Says the number and the way out: needed, available, reserved, and the longest answer that would fit. [interface decision 18] */
export function insufficientWords(lack: Lack, needed: Needed): string {
  const { named } = lack;
  if (!isOfKey(named)) {
    return `${hasLeft(named, needed.models)}; ${thisNeeds(named, needed, named.posted)}. ${[wayOut(named), orSet(lack, needed)].filter(Boolean).join(" ")}${orSearch(needed)}`;
  }
  const { unit, posted, available, renewsAtMs } = named;
  const remedy =
    unit === "credit"
      ? "Top up the key"
      : renewsAtMs === null
        ? "Raise the budget"
        : "Wait for the next period or raise the budget";
  const needs = `this request needs ${neededOf(unit, needed, { has: posted, write: amount })}`;
  const held = posted - available;
  const rest = held === 0n ? "available" : `(${amount(held, unit)} reserved by requests in progress)`;
  const has = `the key has ${amount(posted, unit)} ${rest}`;
  return `Not enough ${unit === "credit" ? "credit" : "tokens"}: ${needs} and ${has}. ${remedy}${orLess(lack, needed)}.${orSearch(needed)}`;
}

export function reservedWords(lack: Lack, needed: Needed): string {
  const { named } = lack;
  const tryAgain = `Try again when they finish${orLess(lack, needed)}.${orSearch(needed)}`;
  if (!isOfKey(named))
    return `${hasLeft(named, needed.models)}; ${thisNeeds(named, needed, named.available)}. ${tryAgain}`;
  const { unit, posted, available } = named;
  return (
    `This request needs ${neededOf(unit, needed, { has: available, write: amount })}. The key has ${amount(posted, unit)}: ` +
    `${amount(posted - available, unit)} reserved by requests in progress, ${amount(available, unit)} available. ${tryAgain}`
  );
}

/** Of a limit in tokens that has nothing left. */
export function usedUpWords(named: NamedCounter, models: readonly string[] | null): string {
  if (!isOfKey(named)) return `${hasLeft(named, models)}. ${wayOut(named)}`;
  return named.renewsAtMs === null
    ? "This key's token budget is used up and does not renew. Ask the operator for a larger budget."
    : `This key's token budget is used up. It renews at ${new Date(named.renewsAtMs).toISOString()}.`;
}

/** When there is more, for whoever reads headers; of the purse or the budget of a lone key its message says it all. */
export const renewalOf = ({ renewsAtMs, period }: NamedCounter): { renewsAt?: string; renewsEvery?: BudgetPeriod } =>
  renewsAtMs === null ? {} : { renewsAt: new Date(renewsAtMs).toISOString(), renewsEvery: period };

/** The purse of a key, or its token budget: the key's own, in words that speak of the key alone. */
export const isOfKey = ({ holder, kind, unit }: NamedCounter): boolean =>
  holder === null && (kind === "purse" || unit === "tokens");

/** "Team Search has 3.20 of 500 credits left this month for gpt-*". */
export function hasLeft(
  named: Omit<NamedCounter, "id" | "renewsAtMs">,
  models: readonly string[] | null = null,
): string {
  const { holder, kind, unit, posted, available, amount: whole, period } = named;
  const of = kind === "limit" ? ` of ${figure(whole, unit)}` : "";
  const counted = models === null ? "" : ` for ${models.join(", ")}`;
  const held = posted - available;
  const reserved = held === 0n ? "" : `, ${figure(held, unit)} of them reserved by requests in progress`;
  return `${holder ?? "This key"} has ${figure(posted, unit)}${of} ${wordOf(unit)} left${WHEN[period]}${counted}${reserved}`;
}

const WHEN: Record<BudgetPeriod, string> = { none: "", day: " today", week: " this week", month: " this month" };

const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

/** Periods are those of UTC, so that they begin with a date. */
export const renewsOn = (atMs: number): string => `Renews ${DATE.format(atMs)}.`;

function wayOut({ kind, renewsAtMs }: NamedCounter): string {
  if (renewsAtMs !== null) return renewsOn(renewsAtMs);
  return kind === "purse"
    ? "Ask the operator to top it up."
    : "It does not renew. Ask the operator for a larger limit.";
}

const thisNeeds = ({ unit }: NamedCounter, needed: Needed, has: bigint): string =>
  `this request needs ${neededOf(unit, needed, { has, write: figure })}`;

/**
 * A text that was not counted needs something between two figures. The lower is told where it is more than there is, so that it is why
 * the request does not start; the upper where it says something else.
 */
function neededOf(
  unit: Unit,
  { demand, floor }: Needed,
  { has, write }: { has: bigint; write: (value: bigint, unit: Unit) => string },
): string {
  const bound = amountIn(unit, demand.least) ?? 0n;
  const least = floor === null ? bound : (amountIn(unit, floor) ?? bound);
  if (floor !== null && least <= has) return `at most ${write(bound, unit)}`;
  const most = bound * 10n <= least * 11n ? "" : ` (at most ${write(bound, unit).replace(/ .*/, "")})`;
  return `at least ${write(least, unit)}${most}`;
}

function orSet(lack: Lack, needed: Needed): string {
  const fits = fitting(lack, needed);
  return fits === null ? "" : `Or set ${needed.advice.fields} to ${fits} or less.`;
}

function orLess(lack: Lack, needed: Needed): string {
  const fits = fitting(lack, needed);
  return fits === null ? "" : `, or set ${needed.advice.fields} to ${fits} or less`;
}

/** What searches may come to is most of what such a request needs. */
function orSearch({ demand: { mostCalls }, advice: { callsField } }: Needed): string {
  if (mostCalls <= 1 || callsField === undefined) return "";
  return ` ${mostCalls} web searches are included; a lower ${callsField} needs less.`;
}

/** A limit that is admitted when it is sent with the same request, if there is one: by every counter of the chain. [interface decision 18] */
function fitting({ available }: Lack, { demand, advice: { addedBytes, smallest } }: Needed): string | null {
  const fits = demand.advisableOutputTokens(available, addedBytes);
  return fits >= smallest && fits > 0 ? fits.toLocaleString("en-US") : null;
}

const amount = (value: bigint, unit: Unit): string =>
  unit === "credit" ? `${formatCredits(value)} credits` : `${value.toLocaleString("en-US")} tokens`;

const wordOf = (unit: Unit): string => (unit === "credit" ? "credits" : "tokens");

/** Money as people write it: a fraction of a credit has two places at least. */
function figure(value: bigint, unit: Unit): string {
  if (unit === "tokens") return value.toLocaleString("en-US");
  const [whole = "", fraction] = formatCredits(value).split(".");
  return fraction === undefined ? whole : `${whole}.${fraction.padEnd(2, "0")}`;
}
