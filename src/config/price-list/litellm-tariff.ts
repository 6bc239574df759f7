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
  wordOf,
} from "../../core/money/price.ts";
import { type UsdConversion, nanoOf, nanoPerMillion } from "./exchange.ts";
import {
  AbsurdNumber,
  callPrice,
  isDearer,
  isZero,
  type LitellmEntry,
  textIn,
  tieredPrices,
  times,
  tokenPrice,
} from "./litellm-entry.ts";

/** Where the list has the parts of a tariff; the first field that is there counts. A part that is not here has no price in the list. */
const FIELDS: Readonly<Partial<Record<TariffPart, readonly string[]>>> = {
  inputNano: ["input_cost_per_token"],
  outputNano: ["output_cost_per_token"],
  outputReasoningNano: ["output_cost_per_reasoning_token"],
  cacheReadNano: ["cache_read_input_token_cost", "input_cost_per_token_cache_hit"],
  cacheWrite5mNano: ["cache_creation_input_token_cost"],
  cacheWrite1hNano: ["cache_creation_input_token_cost_above_1hr"],
};
/** Tokens of a kind that can cost more than the plain ones, and that we have no part for. */
const SPECIAL: Readonly<Partial<Record<TariffPart, readonly string[]>>> = {
  inputNano: ["input_cost_per_image_token"],
  outputNano: ["output_cost_per_image_token"],
};
const fieldsOf = (part: TariffPart): readonly string[] => FIELDS[part] ?? [];
const fieldOf = (part: TariffPart): string => fieldsOf(part)[0] ?? wordOf(part);
const KNOWN = new Set([...Object.values(FIELDS), ...Object.values(SPECIAL)].flat());

const ABOVE = /^(\w+)_above_(\d+)k_tokens$/;
/** They charge their larger price at the number itself; the others, above it. */
const AT_THE_NUMBER = /^(?:xai$|vertex_ai)|\bgrok-/;
/** Its price of reasoning is that of the whole answer of a model that reasons. */
const WHOLE_ANSWER = /^dashscope$/;
/** These search on every call, whether they are asked to or not. */
const ALWAYS_SEARCHES = /sonar|search|online/;

/** What callers of ours cannot ask for, whatever it costs: other tiers of service, audio, pictures made, and tools that a provider runs on stored things. */
const OUT_OF_REACH =
  /_(priority|flex|batches)$|audio|_dbu_cost_|^output_cost_per_image$|^(code_interpreter|file_search|vector_store)_/;
/** Their makers bill a picture as its tokens: a price of a picture beside that says the same once more. */
const PICTURES_ARE_TOKENS = /claude|gemini/;
const SEARCH = "search_context_cost_per_query";
/** The dearest hour of a cache that is known is twice the input. */
const MOST_HOUR = 4n;

export type ListTerms = { exchange: UsdConversion; contextWindow: number | null; carry: Carry };
/** What is carried though it needs a decision. */
export type Carry = { free: boolean; dearest: boolean };

/** A tariff, and which of the list's fields are no part of it because they cannot be right. */
export type ReadTariff = { tariff: Tariff; leftOut: Omit<LeftOut, "id">[] };

/** What a token of each part costs; null: the list does not say so. */
type Prices = Record<TariffPart, Decimal | null>;
type Note = (field: string, problem: string) => void;
/** Prices of inputs above a size. `named`: what the list calls a field there. */
type Step = { above: number; get: (field: string) => Decimal | null; named: (field: string) => string };

/** The prices of an entry in our units, or why they do not fit. A field that fails a rule leaves out its part or its line, never the model. */
export function readTariff(
  name: string,
  entry: LitellmEntry,
  { exchange, contextWindow, carry }: ListTerms,
): ReadTariff | SkipReason {
  const leftOut: ReadTariff["leftOut"] = [];
  const note: Note = (field, problem) => void leftOut.push({ field, problem });
  const [base, ...steps] = stepsOf(entry, contextWindow);
  const { inputNano: input, outputNano: output } = pricesAt(base);
  if (input === null || output === null) return "no_price";
  if (!carry.free && (isZero(input) || isZero(output))) return "free";
  if (hasOtherUnits(name, entry)) return "other_units";
  const special = specialIn(entry, { inputNano: input, outputNano: output });
  if (special !== null && !carry.dearest) return "several_prices";
  const searched = searchPrice(entry);
  if (searched === "by_size" && ALWAYS_SEARCHES.test(name)) return "search_by_size";
  if (searched === "by_size")
    note(SEARCH, "differs by the size of a search, which no answer says; web_search has no price");

  const prices = { ...soundAt(base, note), ...special };
  const nanoAt = (at: Step, part: TariffPart, price: Decimal): bigint => {
    const amount = nanoPerMillion(price, exchange);
    if (isZero(price) || amount > 0n) return amount;
    throw new AbsurdNumber(at.named(fieldOf(part)), "is too little to be charged");
  };
  const lines: WhenLine[] = [];
  for (const step of steps) {
    const line = lineOf(step, { prices, vendor: `${textIn(entry, "litellm_provider")} ${name}`, nanoAt, note });
    if (line !== null) lines.push(line);
    if (line?.sold === false) break;
  }
  return {
    tariff: {
      ...byPart(NEEDED_PARTS, (part) => nanoAt(base, part, prices[part] ?? input)),
      ...byPart(OPTIONAL_PARTS, (part) => (prices[part] === null ? null : nanoAt(base, part, prices[part]))),
      toolCallNano: searched === null || searched === "by_size" ? {} : { web_search: nanoOf(searched, exchange) },
      ...whenOf(lines),
    },
    leftOut,
  };
}

/** The plain prices, and those of larger inputs that the window lets in, by size. */
function stepsOf(entry: LitellmEntry, contextWindow: number | null): [base: Step, ...steps: Step[]] {
  const within = (above: number): boolean => contextWindow === null || contextWindow > above;
  const [first, ...tiers] = tieredPrices(entry).map(({ above, prices }) => ({
    above,
    get: (field: string) => tokenPrice(prices, field),
    named: (field: string) => `tiered_pricing above ${above}: ${field}`,
  }));
  const plain: Step = { above: 0, get: (field) => tokenPrice(entry, field), named: (field) => field };
  // Prices by length in place of a price; beside one they must begin with it.
  if (first !== undefined) return [first, ...tiers.filter(({ above }) => within(above))];
  const sizes = Object.keys(entry).flatMap((field) => {
    const [, base = "", thousands = ""] = ABOVE.exec(field) ?? [];
    return KNOWN.has(base) && within(Number(thousands) * 1_000) ? [Number(thousands)] : [];
  });
  const steps = [...new Set(sizes)].toSorted((one, other) => one - other);
  return [plain, ...steps.map((thousands) => stepAbove(entry, thousands))];
}

function stepAbove(entry: LitellmEntry, thousands: number): Step {
  const named = (field: string): string => `${field}_above_${thousands}k_tokens`;
  return { above: thousands * 1_000, get: (field) => tokenPrice(entry, named(field)), named };
}

const pricesAt = ({ get }: Step): Prices =>
  byPart(
    TARIFF_PARTS,
    (part) =>
      fieldsOf(part)
        .map(get)
        .find((price) => price !== null) ?? null,
  );

/** Without those that cannot be right: as if the list did not have them. */
function soundAt(step: Step, note: Note): Prices {
  const prices = pricesAt(step);
  const { inputNano: input, outputNano: output } = prices;
  const without = (part: TariffPart, problem: string | null): void => {
    prices[part] = null;
    if (problem !== null) note(step.named(fieldOf(part)), problem);
  };
  // A price of 0 beside an input that costs something says that nothing is known.
  for (const part of OPTIONAL_PARTS) if (prices[part] !== null && isZero(prices[part])) without(part, null);
  const { outputReasoningNano: reasoning, cacheWrite5mNano: minutes, cacheWrite1hNano: hour } = prices;
  if (reasoning !== null && output !== null && isSame(reasoning, output)) without("outputReasoningNano", null);
  if (minutes !== null && input !== null && isDearer(input, minutes))
    without("cacheWrite5mNano", "is below the price of input");
  if (hour === null) return prices;
  if (isDearer(prices.cacheWrite5mNano ?? input ?? hour, hour))
    without("cacheWrite1hNano", "is below the price of five minutes");
  else if (input !== null && isDearer(hour, times(input, MOST_HOUR))) {
    without("cacheWrite1hNano", `is more than ${MOST_HOUR} times the price of input`);
  }
  return prices;
}

const isSame = (one: Decimal, other: Decimal): boolean => !isDearer(one, other) && !isDearer(other, one);

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
  const when = vendor.split(" ").some((word) => AT_THE_NUMBER.test(word))
    ? { inputFrom: step.above }
    : { inputAbove: step.above };
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
  const nano = onlySaid(byPart(parts, (part) => nanoAt(step, part, found[part] as Decimal)));
  return { when, nano, toolCallNano: {}, times: null, sold: true };
}

/** Prices of what is counted as plain tokens and can cost more; null: nothing does. */
function specialIn(entry: LitellmEntry, plain: { inputNano: Decimal; outputNano: Decimal }): Partial<Prices> | null {
  const dearer = NEEDED_PARTS.flatMap((part) => {
    const whole = part === "outputNano" && WHOLE_ANSWER.test(textIn(entry, "litellm_provider"));
    const fields = [...(SPECIAL[part] ?? []), ...(whole ? fieldsOf("outputReasoningNano") : [])];
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
    if (!field.includes("cost") || KNOWN.has(base) || base === SEARCH || OUT_OF_REACH.test(field)) return false;
    if (field === "input_cost_per_image" && PICTURES_ARE_TOKENS.test(name)) return false;
    const price = callPrice(entry, field);
    return price !== null && !isZero(price);
  });
}

/** One price per call whatever the size of the search, or none that a tariff can hold. */
function searchPrice(entry: LitellmEntry): Decimal | null | "by_size" {
  const sizes = entry[SEARCH];
  if (!isObject(sizes)) return null;
  const [first = null, ...others] = Object.keys(sizes).map((size) => callPrice(sizes, size));
  // A search for nothing is not known to be free, and a tool without a price is refused.
  if (first === null || (isZero(first) && others.every((price) => price === null || isZero(price)))) return null;
  return others.some((price) => price === null || isDearer(price, first) || isDearer(first, price)) ? "by_size" : first;
}
