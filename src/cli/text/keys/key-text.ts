import type { KeyFundsJson } from "../../../contract/funds.ts";
import type { KeyJson, KeyPageJson, KeyWithSecretsJson } from "../../../contract/keys.ts";
import { moreText, nothingFound } from "../../page-options.ts";
import { grouped, printable } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts, table } from "../table.ts";

/** How a key is named to people: enough to find it again, too little to use it. */
export const keyName = ({ prefix, label }: Pick<KeyJson, "prefix" | "label">): string =>
  label === null ? `${prefix}…` : `${prefix}… (${printable(label)})`;

export function keyListing(
  { data, next }: KeyPageJson,
  { after, search }: { after?: string; search?: string },
  screen: Screen = PLAIN,
): string {
  if (data.length === 0 && search !== undefined) return nothingFound("keys", search);
  if (data.length === 0)
    return after === undefined ? "No keys yet. Create one with `tollgate keys create`." : "No more keys.";
  const listing = table(
    ["=PREFIX", "MODE", "STATUS", "LABEL", "ACCOUNT", ">AVAILABLE", ">SPENT", "PROVIDER", ">RPM", "EXPIRES", "?ID"],
    data.map((row) => [
      row.prefix,
      row.mode,
      row.status,
      row.label ?? "-",
      row.account ?? "-",
      row.available ?? "-",
      row.unit === "credit" ? row.spent : String(row.tokens),
      row.provider_scope,
      String(row.rpm_limit ?? "-"),
      row.expires_at ?? "-",
      row.id,
    ]),
    { screen },
  );
  return `${listing}${moreText(next)}`;
}

export const secretListing = (secrets: KeyWithSecretsJson["secrets"], screen: Screen = PLAIN): string =>
  table(
    ["SECRET", "STATUS", "CREATED", "EXPIRES"],
    secrets.map((secret) => [`${secret.prefix}…`, secret.status, secret.created_at, secret.expires_at ?? "never"]),
    { screen },
  );

/** The models a key may use. */
export function modelsOf({ models, provider_scope }: Pick<KeyJson, "models" | "provider_scope">): string {
  if (models !== null) return models.join(", ") || "none";
  return provider_scope === "all" ? "all" : "all models of its provider";
}

/** Tiers that may be asked for. */
export const tiersOf = (tiers: readonly string[] | null): string =>
  tiers === null ? "all that are sold" : tiers.join(", ") || "the usual one only";

/** Where requests may run. */
export const regionsOf = (regions: readonly string[] | null): string =>
  regions === null ? "anywhere" : regions.join(", ") || "nowhere";

export function keyDetails({ key, secrets }: KeyWithSecretsJson, funds: KeyFundsJson, screen: Screen = PLAIN): string {
  const pairs: [string, string][] = [
    ["id", key.id],
    ["mode", key.mode],
    ["status", key.status],
    ["provider", key.provider_scope],
    ["models", modelsOf(key)],
    ["tiers", tiersOf(key.tiers)],
    ...(key.account_tiers === null ? [] : [["tiers of its account", tiersOf(key.account_tiers)] as [string, string]]),
    ["regions", regionsOf(key.regions)],
    ...(key.account_regions === null
      ? []
      : [["regions of its account", regionsOf(key.account_regions)] as [string, string]]),
    ["rpm", String(key.rpm_limit ?? "unlimited")],
    ["expires", key.expires_at ?? "never"],
    ["created", key.created_at],
    ...fundsFacts(funds),
  ];
  return `${facts(keyName(key), pairs, screen)}\n\n${secretListing(secrets, screen)}`;
}

/** What a key has and had, as lines of a table. */
export function fundsFacts(funds: KeyFundsJson): [name: string, value: string][] {
  const { budget, period, period_ends_at: ends } = funds;
  const requests = `${grouped(funds.requests)}; ${grouped(funds.input_tokens)} input tokens, ${grouped(funds.output_tokens)} output tokens`;
  if (funds.unit === "credit") {
    return [
      ["balance", `${grouped(funds.balance)} credits, of which ${grouped(funds.reserved)} reserved`],
      ["funded", `${grouped(funds.purchased)} credits`],
      [
        "spent",
        `${grouped(funds.used)} credits; ${grouped(funds.today)} today, ${grouped(funds.last_request)} on the last request`,
      ],
      ["requests", requests],
    ];
  }
  return [
    ["budget", `${grouped(budget ?? "0")} tokens ${period === "none" ? "in total" : `per ${period ?? ""}`}`],
    ["used", `${grouped(funds.used)} tokens${ends === null ? "" : `; renews at ${ends}`}`],
    ["available", `${grouped(funds.balance)} tokens, of which ${grouped(funds.reserved)} reserved`],
    ["requests", requests],
  ];
}

/** What the operator should know of a key that was just made; `funds` is null when it could not be had. */
export function openingAdvice(key: KeyJson, funds: KeyFundsJson | null, secret: "made" | "kept" = "made"): string {
  // A date that was mistyped would else be found by whoever is given the key.
  const expired = key.status === "expired" ? ` (already expired on ${key.expires_at ?? ""})` : "";
  const made = `Created ${key.mode} key ${keyName(key)}${expired}`;
  const end = secret === "made" ? SAVE_IT : KEPT;
  if (funds === null) return `${made}.\n${end}`;
  return funds.balance === "0"
    ? `${made}. ${emptyText(key, funds)}\n${end}`
    : `${made} with ${opening(funds)}.\n${end}`;
}

/** Of a key that has nothing in its unit for all models: limits for some may pay for those, and an account may have to be helped first. */
function emptyText(key: KeyJson, { unit, counters }: KeyFundsJson): string {
  const ofUnit = counters.filter((counter) => counter.unit === unit);
  const binding = ofUnit.find(({ models, available }) => models === null && available === "0");
  if (binding === undefined && ofUnit.length > 0) {
    const models = [...new Set(ofUnit.flatMap(({ models: patterns }) => patterns ?? []))];
    return printable(`Its limits pay for some models only: ${models.join(", ")}.`);
  }
  if (binding === undefined || binding.account_id === null)
    return `Its balance is 0, so requests are rejected. ${remedy(key)}`;
  const { kind, account_id: id, renews_at: renews } = binding;
  const account = printable(`account ${binding.holder ?? ""}`);
  if (kind === "purse")
    return `A${account.slice(1)} pays for it and has no credit, so requests are rejected. Add credit: tollgate accounts topup ${id} 25`;
  return renews === null
    ? `The limit of ${account} is used up, so requests are rejected. Raise it: tollgate accounts limit ${id}`
    : `The limit of ${account} is used up, so requests are rejected until it renews at ${renews}.`;
}

const KEPT = "It kept the secret its holder has; the gateway stores only its digest.\n";
const SAVE_IT = "Save this secret now; it won't be shown again.\n";

function remedy({ mode, prefix }: KeyJson): string {
  return mode === "credit"
    ? `Add credit: tollgate topup ${prefix} 25`
    : `Set a budget: tollgate budget ${prefix} 1000000 --period month`;
}

function opening({ unit, balance, period }: KeyFundsJson): string {
  if (unit === "credit") return `${grouped(balance)} credits`;
  return `${grouped(balance)} tokens ${period === "none" ? "in total" : `per ${period ?? ""}`}`;
}
