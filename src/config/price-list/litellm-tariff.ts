import { GROUNDED_PROMPT } from "../../core/money/usage.ts";
import type { Decimal } from "../../core/money/decimal.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import type { LeftOut, SkipReason } from "../../core/catalogue/price-list.ts";
import {
  byPart,
  NEEDED_PARTS,
  onlySaid,
  OPTIONAL_PARTS,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  type WhenLine,
  whenOf,
} from "../../core/money/price.ts";
import { isEmbedding, type RouteFormat } from "../../core/request/dialect.ts";
import { type UsdConversion, nanoOf, nanoPerMillion } from "./exchange.ts";
import { AbsurdNumber, callPrice, isDearer, isZero, type LitellmEntry, textIn, tokenPrice } from "./litellm-entry.ts";
import {
  ABOVE,
  fieldOf,
  fieldsOf,
  isSame,
  KNOWN_FIELDS,
  type Note,
  priceAt,
  type Prices,
  soundAt,
  specialFieldsOf,
  type Step,
  stepsOf,
  unlessAbsurd,
  whenAbove,
} from "./litellm-steps.ts";
import { withFactors, withTiers } from "./litellm-tiers.ts";

/** Its price of reasoning is that of the whole answer of a model that reasons. */
const WHOLE_ANSWER = /^(dashscope|alibaba)/;
/** These search on every call, whether they are asked to or not. */
const ALWAYS_SEARCHES = /sonar|search|online/;

/** What is not part of a usual request: tiers of service, which have lines of their own, batches, audio, pictures made, and tools that a provider runs on stored things. */
const OUT_OF_REACH =
  /_(priority|flex|batches)$|audio|_dbu_cost_|^output_cost_per_image$|^(code_interpreter|file_search|vector_store)_/;
/** Their makers bill a picture as its tokens: a price of a picture beside that says the same once more. */
const PICTURES_ARE_TOKENS = /claude|gemini/;
const SEARCH = "search_context_cost_per_query";
export type ListTerms = {
  exchange: UsdConversion;
  contextWindow: number | null;
  dialect: RouteFormat;
  carry: Carry;
};
/** What is carried though it needs a decision. */
export type Carry = { free: boolean; dearest: boolean };

/** A tariff, and which of the list's fields are no part of it because they cannot be right. */
export type ReadTariff = { tariff: Tariff; leftOut: Omit<LeftOut, "id">[] };

/** The prices of an entry in our units, or why they do not fit. A field that fails a rule leaves out its part or its line, never the model. */
export function readTariff(
  name: string,
  entry: LitellmEntry,
  { exchange, contextWindow, dialect, carry }: ListTerms,
): ReadTariff | SkipReason {
  const leftOut: ReadTariff["leftOut"] = [];
  const note: Note = (field, problem) => void leftOut.push({ field, problem });
  const [base, ...steps] = stepsOf(entry, contextWindow);
  const [input, output] = [priceAt(base, "inputNano"), priceAt(base, "outputNano")];
  if (input === null) return "no_price";
  if (isEmbedding(dialect)) return readInputTariff(name, entry, { exchange, carry, input });
  if (output === null) return "no_price";
  if (!carry.free && (isZero(input) || isZero(output))) return "free";
  if (hasOtherUnits(name, entry)) return "other_units";
  const special = specialIn(entry, { inputNano: input, outputNano: output });
  if (special !== null && !carry.dearest) return "several_prices";
  const searched = unlessAbsurd(() => searchPrice(entry), note);
  if (searched === "by_size" && ALWAYS_SEARCHES.test(name)) return "search_by_size";
  if (searched === "by_size")
    note(SEARCH, "differs by the size of a search, which no answer says; web_search has no price");

  const prices = { ...soundAt(base, note), ...special };
  const nanoAt = (at: Step, part: TariffPart, price: Decimal): bigint => {
    const amount = nanoPerMillion(price, exchange);
    if (isZero(price) || amount > 0n) return amount;
    throw new AbsurdNumber(at.named(fieldOf(part)), "is too little to be charged");
  };
  const optional = byPart(OPTIONAL_PARTS, (part) => {
    const price = prices[part];
    const nano = price === null ? null : unlessAbsurd(() => nanoAt(base, part, price), note);
    if (nano === null) prices[part] = null;
    return nano;
  });
  const vendor = `${textIn(entry, "litellm_provider")} ${name}`;
  const lines: WhenLine[] = [];
  for (const step of steps) {
    const line = lineOf(step, { prices, vendor, nanoAt, note });
    if (line !== null) lines.push(line);
    if (line?.sold === false) break;
  }
  const usual: Tariff = {
    ...byPart(NEEDED_PARTS, (part) => nanoAt(base, part, prices[part] ?? input)),
    ...optional,
    toolCallNano:
      searched === null || searched === "by_size" ? {} : { [searchUnit(name, entry)]: nanoOf(searched, exchange) },
    ...whenOf(lines),
  };
  const isSpecial = special !== null;
  if (dialect === "messages") return { tariff: withFactors(usual, entry, note), leftOut };
  // A request in Gemini's own format names no tier.
  if (dialect === "gemini") return { tariff: usual, leftOut };
  return { tariff: withTiers(usual, entry, { contextWindow, vendor, isSpecial, nanoAt, note }), leftOut };
}

type InputPrice = Pick<ListTerms, "exchange" | "carry"> & { input: Decimal };

/** Of embeddings nothing but the tokens of the input is billed, all of them alike. */
function readInputTariff(
  name: string,
  entry: LitellmEntry,
  { exchange, carry, input }: InputPrice,
): ReadTariff | SkipReason {
  if (!carry.free && isZero(input)) return "free";
  if (hasOtherUnits(name, entry)) return "other_units";
  const inputNano = nanoPerMillion(input, exchange);
  if (!isZero(input) && inputNano === 0n) throw new AbsurdNumber(fieldOf("inputNano"), "is too little to be charged");
  return { tariff: { inputNano, outputNano: 0n, toolCallNano: {} }, leftOut: [] };
}

type Lining = {
  /** Of the base: a line has the same parts. */
  prices: Prices;
  vendor: string;
  nanoAt: (at: Step, part: TariffPart, price: Decimal) => bigint;
  note: Note;
};

/** Null: it changes nothing. A line that lacks a price is not sold. */
function lineOf(step: Step, { prices, vendor, nanoAt, note }: Lining): WhenLine | null {
  const found = soundAt(step, note);
  const when = whenAbove(step.above, vendor);
  const unknown = { when, nano: {}, toolCallNano: {}, times: null, sold: false };
  const parts = TARIFF_PARTS.filter((part) => prices[part] !== null);
  // As where a list has no such price at all.
  if (prices.cacheReadNano !== null && found.cacheReadNano === null && found.inputNano !== null) {
    found.cacheReadNano = found.inputNano;
    note(step.named(fieldOf("cacheReadNano")), "is missing, so that cached input costs as much as input");
  }
  const missing = parts.filter((part) => found[part] === null);
  for (const part of missing) note(step.named(fieldOf(part)), "is missing, so that such an input is not sold");
  if (missing.length > 0) return unknown;
  if (parts.every((part) => isSame(found[part] as Decimal, prices[part] as Decimal))) return null;
  const nano = unlessAbsurd(() => onlySaid(byPart(parts, (part) => nanoAt(step, part, found[part] as Decimal))), note);
  if (nano === null) return unknown;
  return { when, nano, toolCallNano: {}, times: null, sold: true };
}

/** Prices of what is counted as plain tokens and can cost more; null: nothing does. */
function specialIn(entry: LitellmEntry, plain: { inputNano: Decimal; outputNano: Decimal }): Partial<Prices> | null {
  const dearer = NEEDED_PARTS.flatMap((part) => {
    const whole = part === "outputNano" && WHOLE_ANSWER.test(textIn(entry, "litellm_provider"));
    const fields = [...specialFieldsOf(part), ...(whole ? fieldsOf("outputReasoningNano") : [])];
    const dearest = fields
      .map((field) => tokenPrice(entry, field))
      .reduce<Decimal>((most, price) => (price !== null && isDearer(price, most) ? price : most), plain[part]);
    return isDearer(dearest, plain[part]) ? [[part, dearest] as const] : [];
  });
  return dearer.length === 0 ? null : Object.fromEntries(dearer);
}

/** Whatever is priced here and not known to us could be part of any call. */
function hasOtherUnits(name: string, entry: LitellmEntry): boolean {
  return Object.keys(entry).some((field) => {
    const base = ABOVE.exec(field)?.[1] ?? field;
    if (!field.includes("cost") || KNOWN_FIELDS.has(base) || base === SEARCH || OUT_OF_REACH.test(field)) return false;
    if (field === "input_cost_per_image" && PICTURES_ARE_TOKENS.test(name)) return false;
    const price = callPrice(entry, field);
    return price !== null && !isZero(price);
  });
}

/** Gemini is billed by the query where the list says so, and otherwise by the request that searched. */
const searchUnit = (name: string, entry: LitellmEntry): string =>
  /gemini/.test(name) && textIn(entry, "web_search_billing_unit") !== "per_query" ? GROUNDED_PROMPT : "web_search";

/** One price per call whatever the size of the search, or none that a tariff can hold. */
function searchPrice(entry: LitellmEntry): Decimal | null | "by_size" {
  const sizes = entry[SEARCH];
  if (!isObject(sizes)) return null;
  const [first = null, ...others] = Object.keys(sizes).map((size) => callPrice(sizes, size));
  // A search for nothing is not known to be free, and a tool without a price is refused.
  if (first === null || (isZero(first) && others.every((price) => price === null || isZero(price)))) return null;
  return others.some((price) => price === null || isDearer(price, first) || isDearer(first, price)) ? "by_size" : first;
}
