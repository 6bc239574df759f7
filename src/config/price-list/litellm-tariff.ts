import type { Decimal } from "../../core/decimal.ts";
import { isObject } from "../../core/is-object.ts";
import type { Tariff } from "../../core/price.ts";
import { type Exchange, nanoOf, nanoPerMillion } from "./exchange.ts";
import { AbsurdNumber, callPrice, isDearer, isZero, type LitellmEntry, tiersOf, tokenPrice } from "./litellm-entry.ts";
import type { SkipReason } from "./price-list.ts";

/** Kinds of tokens a tariff has a price for, and the fields that say the plain price of each. */
const PLAIN = {
  input: ["input_cost_per_token"],
  output: ["output_cost_per_token"],
  cacheRead: ["cache_read_input_token_cost", "input_cost_per_token_cache_hit"],
  cacheWrite5m: ["cache_creation_input_token_cost"],
  cacheWrite1h: ["cache_creation_input_token_cost_above_1hr"],
} as const;
type Kind = keyof typeof PLAIN;

/** Fields for tokens of a kind that can cost more than the plain ones. */
const SPECIAL: Record<Kind, readonly string[]> = {
  input: ["input_cost_per_image_token"],
  output: ["output_cost_per_reasoning_token", "output_cost_per_image_token"],
  cacheRead: [],
  cacheWrite5m: [],
  cacheWrite1h: [],
};

const ABOVE = /^(\w+)_above_(\d+)k_tokens$/;

/** What callers of ours cannot ask for, whatever it costs: other tiers of service, audio, and tools that a provider runs on stored things. */
const OUT_OF_REACH = /_(priority|flex|batches)$|audio|_dbu_cost_|^(code_interpreter|file_search|vector_store)_/;
const SEARCH = "search_context_cost_per_query";

export type Terms = { exchange: Exchange; contextWindow: number | null; carry: Carry };
/** What is carried though it needs a decision. */
export type Carry = { free: boolean; dearest: boolean };

/** The prices of an entry in our units, or why they do not fit. */
export function readTariff(entry: LitellmEntry, { exchange, contextWindow, carry }: Terms): Tariff | SkipReason {
  const priceOf = (kind: Kind): KindPrice => readKind(entry, { kind, contextWindow });
  const [input, output] = [priceOf("input"), priceOf("output")];
  if (input.dearest === null || output.dearest === null) return "no_price";
  if (!carry.free && (isZero(input.dearest) || isZero(output.dearest))) return "free";
  if (hasOtherUnits(entry)) return "other_units";
  const kinds = { input, output, ...cachePrices(priceOf, input) };
  if (!carry.dearest && Object.values(kinds).some(isUneven)) return "several_prices";
  const search = searchPrice(entry);
  if (search === "search_by_size") return search;

  const nano = (kind: Kind): bigint => {
    const { dearest } = kinds[kind];
    const amount = dearest === null ? 0n : nanoPerMillion(dearest, exchange);
    if (dearest === null || isZero(dearest) || amount > 0n) return amount;
    throw new AbsurdNumber(PLAIN[kind][0], "is too little to be charged");
  };
  const optional = (kind: Kind): bigint | null => (kinds[kind].dearest === null ? null : nano(kind));
  return {
    inputNano: nano("input"),
    outputNano: nano("output"),
    cacheReadNano: optional("cacheRead"),
    cacheWrite5mNano: optional("cacheWrite5m"),
    cacheWrite1hNano: optional("cacheWrite1h"),
    toolCallNano: search === null ? {} : { web_search: nanoOf(search, exchange) },
  };
}

/** `plain` is the price that most calls pay, `dearest` the most that any call can. */
type KindPrice = { plain: Decimal | null; dearest: Decimal | null };

const isUneven = ({ plain, dearest }: KindPrice): boolean =>
  dearest !== null && (plain === null || isDearer(dearest, plain));

function readKind(
  entry: LitellmEntry,
  { kind, contextWindow }: { kind: Kind; contextWindow: number | null },
): KindPrice {
  const fields: readonly string[] = PLAIN[kind];
  const plain = fields.map((field) => tokenPrice(entry, field)).find((price) => price !== null) ?? null;
  const isReachable = (thousands: number): boolean => contextWindow === null || contextWindow > thousands * 1_000;
  const beyond = Object.keys(entry).filter((field) => {
    const [, base = "", thousands = ""] = ABOVE.exec(field) ?? [];
    return [...fields, ...SPECIAL[kind]].includes(base) && isReachable(Number(thousands));
  });
  const others = [
    ...[...SPECIAL[kind], ...beyond].map((field) => tokenPrice(entry, field)),
    ...tiersOf(entry).flatMap((tier) => [...fields, ...SPECIAL[kind]].map((field) => tokenPrice(tier, field))),
  ];
  const dearest = others.reduce(
    (most, price) => (most === null || (price && isDearer(price, most)) ? price : most),
    plain,
  );
  return { plain, dearest };
}

/**
 * A price of 0 for the cache beside an input that costs something says that nothing is known, or nothing added: a read then
 * costs what plain input costs, as without a price, and so does a write, which would raise an alarm without one.
 */
function cachePrices(
  priceOf: (kind: Kind) => KindPrice,
  input: KindPrice,
): Record<Exclude<Kind, "input" | "output">, KindPrice> {
  const nothing: KindPrice = { plain: null, dearest: null };
  const unless = (kind: Kind, otherwise: KindPrice): KindPrice => {
    const price = priceOf(kind);
    return price.dearest !== null && isZero(price.dearest) ? otherwise : price;
  };
  return {
    cacheRead: unless("cacheRead", nothing),
    cacheWrite5m: unless("cacheWrite5m", input),
    cacheWrite1h: unless("cacheWrite1h", input),
  };
}

/** Whatever is priced here and not known to us could be part of any call. */
function hasOtherUnits(entry: LitellmEntry): boolean {
  const known = new Set<string>([...Object.values(PLAIN).flat(), ...Object.values(SPECIAL).flat(), SEARCH]);
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
