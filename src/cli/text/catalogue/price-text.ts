import type { CatalogueChange, PriceChange } from "../../../core/catalogue/catalogue-change.ts";
import type { Tariff } from "../../../core/money/price.ts";
import { tariffView, type WhenLineView } from "../../../wire/catalogue/price.ts";
import type { ManageCatalogue } from "../../../operator/catalogue.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

type BookedPrice = Awaited<ReturnType<ManageCatalogue["listPrices"]>>["data"][number];

export const changeListing = (changes: readonly CatalogueChange[], screen: Screen = PLAIN): string =>
  changes.length === 0
    ? "Nothing to change."
    : table(
        ["CHANGE", "WHAT", "NAME", "HOW"],
        changes.map((change) => [
          change.change,
          change.kind,
          change.name,
          "version" in change ? priceChangeText(change) : "",
        ]),
        { screen },
      );

/** Versions as data, in the words of the catalogue file. */
export const priceBookView = (book: readonly BookedPrice[], nowMs: number): object[] =>
  book.map((price) => ({
    version: price.version,
    effective_from: dateText(price.effectiveFromMs),
    state: stateOf(price, book, nowMs),
    withdrawn_at: price.withdrawnAtMs === null ? null : dateText(price.withdrawnAtMs),
    suspended_for: price.suspendedFor,
    price: tariffView(price),
  }));

export const priceBookListing = (book: readonly BookedPrice[], nowMs: number, screen: Screen = PLAIN): string =>
  book.length === 0
    ? "No price yet, so credit keys cannot use this model. Set one with `tollgate models price`."
    : table(
        ["VERSION", "STATE", "FROM", "CREDITS PER MILLION TOKENS OR TOOL CALL"],
        book.map((price) => [
          String(price.version),
          stateOf(price, book, nowMs),
          beginText(price.effectiveFromMs),
          priceText(null, price) + (price.suspendedFor === null ? "" : `; used without a price: ${price.suspendedFor}`),
        ]),
        { screen },
      );

function priceChangeText({ version, effectiveFromMs, before, after }: PriceChange): string {
  return `${priceText(before, after)} (version ${version}, from ${beginText(effectiveFromMs)})`;
}

/** Only what differs, old → new; all of it where there was nothing. */
export function priceText(before: Tariff | null, after: Tariff | null): string {
  const [old, next] = [partsOf(before), partsOf(after)];
  const names = [...new Set([...old.keys(), ...next.keys()])].filter((name) => old.get(name) !== next.get(name));
  if (names.length === 0) return "no difference";
  return names
    .map((name) => `${name} ${before === null ? "" : `${old.get(name) ?? "none"} → `}${next.get(name) ?? "none"}`)
    .join(", ");
}

function partsOf(tariff: Tariff | null): Map<string, string> {
  if (tariff === null) return new Map();
  const { tools, when = [], ...tokens } = tariffView(tariff);
  return new Map([...named(tokens), ...toolsNamed(tools), ...when.map(lineText)]);
}

const named = (tokens: Readonly<Record<string, string | null | undefined>>): (readonly [string, string])[] =>
  Object.entries(tokens).flatMap(([name, text]) => (typeof text === "string" ? [[name, text] as const] : []));

const toolsNamed = (tools: Readonly<Record<string, string>>): (readonly [string, string])[] =>
  Object.entries(tools).map(([name, text]) => [`tools.${name}`, text] as const);

/** A line of a price: where it holds, and what it says. */
function lineText({ sold, tools = {}, ...line }: WhenLineView): readonly [string, string] {
  const { input_above, input_from, tier, region, hours, ...prices } = line;
  const where = [
    tier === undefined ? null : `tier ${tier}`,
    region === undefined ? null : `region ${region}`,
    hours === undefined ? null : `${hours} UTC`,
    input_above === undefined ? null : `input above ${input_above} tokens`,
    input_from === undefined ? null : `input from ${input_from} tokens`,
  ]
    .filter((word) => word !== null)
    .join(", ");
  const said = [...named(prices), ...toolsNamed(tools)].map(([name, text]) => `${name} ${text}`).join(" ");
  return [`[${where}]`, sold === false ? "not sold" : said];
}

/** Of the prices that have begun the latest holds, and of those begun together the newest. */
function stateOf(price: BookedPrice, book: readonly BookedPrice[], nowMs: number): string {
  if (price.withdrawnAtMs !== null) return "withdrawn";
  if (price.effectiveFromMs > nowMs) return "to come";
  const isReplaced = book.some(
    (other) =>
      other.withdrawnAtMs === null &&
      other.effectiveFromMs <= nowMs &&
      (other.effectiveFromMs > price.effectiveFromMs ||
        (other.effectiveFromMs === price.effectiveFromMs && other.version > price.version)),
  );
  if (isReplaced) return "past";
  return price.suspendedFor === null ? "in force" : "suspended";
}

const dateText = (ms: number): string => new Date(ms).toISOString();
const beginText = (ms: number): string => (ms === 0 ? "the beginning" : dateText(ms));
