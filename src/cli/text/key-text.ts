import type { AccountJson } from "../../wire/admin/funds.ts";
import type { KeyJson, KeyListJson, KeyShownJson } from "../../wire/admin/keys.ts";
import { moreText } from "../page-options.ts";
import { printable } from "./cell.ts";
import { PLAIN, type Screen } from "./screen.ts";
import { facts, table } from "./table.ts";

/** How a key is named to people: enough to find it again, too little to use it. */
export const keyName = ({ prefix, label }: Pick<KeyJson, "prefix" | "label">): string =>
  label === null ? `${prefix}…` : `${prefix}… (${printable(label)})`;

export function keyListing({ data, next }: KeyListJson, { after }: { after?: string }, screen: Screen = PLAIN): string {
  if (data.length === 0)
    return after === undefined ? "no keys yet; make one with `tollgate keys create`" : "no more keys";
  const listing = table(
    ["=PREFIX", "MODE", "STATUS", "LABEL", "PROVIDER", ">RPM", "EXPIRES", "?ID"],
    data.map((row) => [
      row.prefix,
      row.mode,
      row.status,
      row.label ?? "-",
      row.provider_scope,
      String(row.rpm_limit ?? "-"),
      row.expires_at ?? "-",
      row.id,
    ]),
    { screen },
  );
  return `${listing}${moreText(next)}`;
}

export const secretListing = (secrets: KeyShownJson["secrets"], screen: Screen = PLAIN): string =>
  table(
    ["SECRET", "STATUS", "MADE", "EXPIRES"],
    secrets.map((secret) => [`${secret.prefix}…`, secret.status, secret.created_at, secret.expires_at ?? "never"]),
    { screen },
  );

export function keyDetails({ key, secrets }: KeyShownJson, account: AccountJson, screen: Screen = PLAIN): string {
  const pairs: [string, string][] = [
    ["id", key.id],
    ["mode", key.mode],
    ["status", key.status],
    ["provider", key.provider_scope],
    ["models", key.models?.join(", ") ?? (key.provider_scope === "all" ? "all" : "all of its provider")],
    ["rpm", String(key.rpm_limit ?? "unlimited")],
    ["expires", key.expires_at ?? "never"],
    ["made", key.created_at],
    ...accountFacts(account),
  ];
  return `${facts(keyName(key), pairs, screen)}\n\n${secretListing(secrets, screen)}`;
}

/** What a key has and had, as lines of a table. */
export function accountFacts(account: AccountJson): [name: string, value: string][] {
  const { budget, period, period_ends_at: ends } = account;
  const requests = `${account.requests}, ${account.input_tokens} tokens in, ${account.output_tokens} out`;
  if (account.unit === "credit") {
    return [
      ["balance", `${account.balance} credits, ${account.reserved} of it reserved`],
      ["paid in", account.purchased],
      ["spent", `${account.used}, ${account.today} of it today, ${account.last_request} by the last request`],
      ["requests", requests],
    ];
  }
  return [
    ["budget", `${budget ?? "0"} tokens ${period === "none" ? "in all" : `per ${period ?? ""}`}`],
    ["used", `${account.used}${ends === null ? "" : `, begins anew on ${ends}`}`],
    ["left", `${account.balance}, ${account.reserved} of it reserved`],
    ["requests", requests],
  ];
}

/** What the operator should know of a key that was just made; `account` is null when it could not be had. */
export function openingAdvice(key: KeyJson, account: AccountJson | null): string {
  // A date that was mistyped would else be found by whoever is given the key.
  const expired = key.status === "expired" ? `, which expired on ${key.expires_at ?? ""} already,` : "";
  const made = `made ${key.mode} key ${keyName(key)}${expired}`;
  if (account === null) return `${made}; its secret is shown this once:\n`;
  return account.balance === "0"
    ? `${made} with a balance of 0: it cannot start a request until it ${remedy(key)}\nits secret is shown this once:\n`
    : `${made} with ${opening(account)}; its secret is shown this once:\n`;
}

function remedy({ mode, prefix }: KeyJson): string {
  return mode === "credit"
    ? `is topped up: tollgate topup ${prefix} 25`
    : `has a budget: tollgate budget ${prefix} 1000000 --period month`;
}

function opening({ unit, balance, period }: AccountJson): string {
  if (unit === "credit") return `${balance} credits`;
  return `${balance} tokens ${period === "none" ? "in all" : `per ${period ?? ""}`}`;
}
