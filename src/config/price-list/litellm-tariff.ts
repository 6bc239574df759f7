import type { Decimal } from "../../core/money/decimal.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import {
  byPart,
  NEEDED_PARTS,
  OPTIONAL_PARTS,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  wordOf,
} from "../../core/money/price.ts";
import { type UsdConversion, nanoOf, nanoPerMillion } from "./exchange.ts";
import { AbsurdNumber, callPrice, isDearer, isZero, type LitellmEntry, tiersOf, tokenPrice } from "./litellm-entry.ts";
import type { SkipReason } from "../../core/catalogue/price-list.ts";

type Fields = {
  /** Those that say the plain price; the first that is there counts. */
  plain: readonly string[];
  /** Those for tokens of this kind that can cost more than the plain ones. */
  special: readonly string[];
  /**
   * What a price of 0 beside an input that costs something says of a cache: that nothing is known, so that a read costs what plain
   * input costs, as without a price; or that nothing is added, so that a write does, which would raise an alarm without one.
   */
  zero: "free" | "unknown" | "as_input";
};

/** Where the list has the parts of a tariff. A part that is not here has no price in the list. */
const FIELDS: Readonly<Partial<Record<TariffPart, Fields>>> = {
  inputNano: { plain: ["input_cost_per_token"], special: ["input_cost_per_image_token"], zero: "free" },
  outputNano: {
    plain: ["output_cost_per_token"],
    special: ["output_cost_per_reasoning_token", "output_cost_per_image_token"],
    zero: "free",
  },
  cacheReadNano: {
    plain: ["cache_read_input_token_cost", "input_cost_per_token_cache_hit"],
    special: [],
    zero: "unknown",
  },
  cacheWrite5mNano: { plain: ["cache_creation_input_token_cost"], special: [], zero: "as_input" },
  cacheWrite1hNano: { plain: ["cache_creation_input_token_cost_above_1hr"], special: [], zero: "as_input" },
};

const NOT_LISTED: Fields = { plain: [], special: [], zero: "unknown" };
const fieldsOf = (part: TariffPart): Fields => FIELDS[part] ?? NOT_LISTED;

const ABOVE = /^(\w+)_above_(\d+)k_tokens$/;

/** What callers of ours cannot ask for, whatever it costs: other tiers of service, audio, and tools that a provider runs on stored things. */
const OUT_OF_REACH = /_(priority|flex|batches)$|audio|_dbu_cost_|^(code_interpreter|file_search|vector_store)_/;
const SEARCH = "search_context_cost_per_query";

type Terms = { exchange: UsdConversion; contextWindow: number | null; carry: Carry };
/** What is carried though it needs a decision. */
export type Carry = { free: boolean; dearest: boolean };

/** The prices of an entry in our units, or why they do not fit. */
export function readTariff(entry: LitellmEntry, { exchange, contextWindow, carry }: Terms): Tariff | SkipReason {
  const read = byPart(TARIFF_PARTS, (part) => readPart(entry, { part, contextWindow }));
  const { inputNano: input, outputNano: output } = read;
  if (input.dearest === null || output.dearest === null) return "no_price";
  if (!carry.free && (isZero(input.dearest) || isZero(output.dearest))) return "free";
  if (hasOtherUnits(entry)) return "other_units";
  const prices = byPart(TARIFF_PARTS, (part) => zeroTaken(read[part], { zero: fieldsOf(part).zero, input }));
  if (!carry.dearest && Object.values(prices).some(isUneven)) return "several_prices";
  const search = searchPrice(entry);
  if (search === "search_by_size") return search;

  const nano = (part: TariffPart): bigint => {
    const { dearest } = prices[part];
    const amount = dearest === null ? 0n : nanoPerMillion(dearest, exchange);
    if (dearest === null || isZero(dearest) || amount > 0n) return amount;
    throw new AbsurdNumber(fieldsOf(part).plain[0] ?? wordOf(part), "is too little to be charged");
  };
  return {
    ...byPart(NEEDED_PARTS, nano),
    ...byPart(OPTIONAL_PARTS, (part) => (prices[part].dearest === null ? null : nano(part))),
    toolCallNano: search === null ? {} : { web_search: nanoOf(search, exchange) },
  };
}

/** `plain` is the price that most calls pay, `dearest` the most that any call can. */
type PartPrice = { plain: Decimal | null; dearest: Decimal | null };

const isUneven = ({ plain, dearest }: PartPrice): boolean =>
  dearest !== null && (plain === null || isDearer(dearest, plain));

function readPart(
  entry: LitellmEntry,
  { part, contextWindow }: { part: TariffPart; contextWindow: number | null },
): PartPrice {
  const { plain: fields, special } = fieldsOf(part);
  const plain = fields.map((field) => tokenPrice(entry, field)).find((price) => price !== null) ?? null;
  const isReachable = (thousands: number): boolean => contextWindow === null || contextWindow > thousands * 1_000;
  const beyond = Object.keys(entry).filter((field) => {
    const [, base = "", thousands = ""] = ABOVE.exec(field) ?? [];
    return [...fields, ...special].includes(base) && isReachable(Number(thousands));
  });
  const others = [
    ...[...special, ...beyond].map((field) => tokenPrice(entry, field)),
    ...tiersOf(entry).flatMap((tier) => [...fields, ...special].map((field) => tokenPrice(tier, field))),
  ];
  const dearest = others.reduce(
    (most, price) => (most === null || (price && isDearer(price, most)) ? price : most),
    plain,
  );
  return { plain, dearest };
}

function zeroTaken(price: PartPrice, { zero, input }: { zero: Fields["zero"]; input: PartPrice }): PartPrice {
  if (zero === "free" || price.dearest === null || !isZero(price.dearest)) return price;
  return zero === "as_input" ? input : { plain: null, dearest: null };
}

/** Whatever is priced here and not known to us could be part of any call. */
function hasOtherUnits(entry: LitellmEntry): boolean {
  const known = new Set([...Object.values(FIELDS).flatMap(({ plain, special }) => [...plain, ...special]), SEARCH]);
  return Object.keys(entry).some((field) => {
    const base = ABOVE.exec(field)?.[1] ?? field;
    if (!field.includes("cost") || known.has(base) || OUT_OF_REACH.test(field)) return false;
    const price = callPrice(entry, field);
    return price !== null && !isZero(price);
  });
}

/** One price per call whatever the size of the search, or none that a tariff can hold. */
function searchPrice(entry: LitellmEntry): Decimal | null | "search_by_size" {
  const sizes = entry[SEARCH];
  if (!isObject(sizes)) return null;
  const [first = null, ...others] = Object.keys(sizes).map((size) => callPrice(sizes, size));
  // A search for nothing is not known to be free, and a tool without a price is refused.
  if (first === null || (isZero(first) && others.every((price) => price === null || isZero(price)))) return null;
  return others.some((price) => price === null || isDearer(price, first) || isDearer(first, price))
    ? "search_by_size"
    : first;
}
