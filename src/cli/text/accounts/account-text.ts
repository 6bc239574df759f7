import type { AccountFundedJson, AccountJson, AccountTreeJson } from "../../../contract/accounts.ts";
import type { CounterJson } from "../../../wire/admin/counter.ts";
import { moreText, nothingFound } from "../../page-options.ts";
import { grouped, printable } from "../cell.ts";
import { regionsOf, tiersOf } from "../keys/key-text.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

const HEADER = ["ACCOUNT", "WHAT", ">AMOUNT", ">CHARGED", ">RESERVED", ">AVAILABLE", "RENEWS"];
const NONE = ["-", "-", "-", "-", "-"];

type Named = Pick<CounterJson, "kind" | "unit" | "period"> & { models: readonly string[] | null };

/** What a counter is: `limit, credits per month`. */
export const counterName = ({ kind, unit, period, models }: Named): string => {
  const counts = unit === "credit" ? "credits" : "tokens";
  const per = kind === "purse" ? "" : period === "none" ? " in total" : ` per ${period}`;
  return `${kind}, ${counts}${per}${models === null ? "" : ` (${models.join(", ")})`}`;
};

const figures = (counter: CounterJson): string[] => [
  counterName(counter),
  counter.kind === "purse" ? counter.funded : counter.amount,
  counter.charged,
  counter.reserved,
  counter.available,
  counter.renews_at?.slice(0, 10) ?? "-",
];

/** Counters, each beside its holder. */
export const countersTable = (
  rows: readonly (readonly [holder: string, counter: CounterJson])[],
  screen: Screen = PLAIN,
): string =>
  table(
    HEADER,
    rows.map(([holder, counter]) => [printable(holder), ...figures(counter)]),
    { screen },
  );

/** One line for each counter; the first stands beside the name, and one without any has a line all the same. */
function linesOf(name: string, counters: readonly CounterJson[], what: string): string[][] {
  if (counters.length === 0) return [[name, what, ...NONE]];
  return counters.map((counter, place) => [place === 0 ? name : "", ...figures(counter)]);
}

const stateOf = ({ state }: AccountJson): string => (state === "active" ? "" : ` [${state}]`);

/** An account and all below it, as a tree with one line for each purse and limit. */
export function accountTreeText({ account, below, keys, more }: AccountTreeJson, screen: Screen = PLAIN): string {
  const depthOf = ({ path }: AccountJson): number => path.split("/").length - account.path.split("/").length;
  const rows = [account, ...below].flatMap((one) => {
    const indent = "  ".repeat(depthOf(one));
    const name = `${indent}${printable(one.name)}${stateOf(one)}`;
    const own = keys.filter((key) => key.account_id === one.id);
    return [
      ...linesOf(name, one.counters, one.kind),
      ...own.flatMap((key) => {
        const label = key.label === null ? "" : ` ${printable(key.label)}`;
        const state = key.status === "active" ? "" : ` [${key.status}]`;
        const holder = `${indent}  ${key.prefix ?? key.id}…${label}${state}`;
        if (key.counters.length > 0) return linesOf(holder, key.counters, "key");
        return [[holder, "key, credits spent", "-", key.spent, "-", "-", "-"]];
      }),
    ];
  });
  const end = more ? "\n\nThere is more below; show one of these accounts to see it." : "";
  const tiers = account.tiers === null ? "" : `\nService tiers: ${tiersOf(account.tiers)}`;
  const regions = account.regions === null ? "" : `\nRegions: ${regionsOf(account.regions)}`;
  return `${account.path} (${account.id})${tiers}${regions}\n\n${table(HEADER, rows, { screen })}${end}`;
}

export function accountListing(
  { data, next }: { data: readonly AccountJson[]; next: string | null },
  { after, search }: { after?: string; search?: string },
  screen: Screen = PLAIN,
): string {
  if (data.length === 0 && search !== undefined) return nothingFound("accounts", search);
  if (data.length === 0)
    return after === undefined ? "No accounts yet. Create one with `tollgate accounts create`." : "No more accounts.";
  const rows = data.flatMap((one) => {
    const lines = linesOf(`${printable(one.path)}${stateOf(one)}`, one.counters, one.kind);
    return lines.map((line, place) => [...line, place === 0 ? String(one.keys) : "", place === 0 ? one.id : ""]);
  });
  return `${table([...HEADER, ">KEYS", "?ID"], rows, { screen })}${moreText(next)}`;
}

export function accountFundedText({ account, result, reference, counter }: AccountFundedJson, amount: string): string {
  const booking =
    result === "funded"
      ? `Added ${grouped(amount)} credits to ${account.path}.`
      : `Already booked to ${account.path} under this reference. Nothing changed.`;
  return `${booking}\navailable  ${grouped(counter.available)}\nreference  ${reference}`;
}
