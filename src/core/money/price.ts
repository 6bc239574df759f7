import type { Amounts } from "./amount.ts";
import { invariant } from "../invariant.ts";
import type { NanoCredits } from "./money.ts";
import type { Usage } from "./usage.ts";

type Part = {
  /** What the catalogue file and the admin API call it; its column and its option are called after it. */
  word: string;
  /** What an operator is told of it. */
  says: string;
  /** What the console calls it. */
  title: string;
  /** What the description of the admin API says of its price. */
  about: string;
  /** What is counted, where a charge is explained. */
  counts: string;
  /** Whose price applies where this part has none; null: it must have one. */
  instead: string | null;
  /** The same in words. */
  otherwise: string | null;
  /** The part whose tokens these are a share of: they are charged here and not there. */
  shareOf: "inputNano" | "outputNano" | null;
  /** How many tokens of a usage are meant, the shares of others included. */
  tokens: (usage: Usage) => number;
  /** Providers ask more for it than for what applies instead, so that selling it without a price of its own loses money. */
  dearer: boolean;
};

/**
 * What a price of tokens is made of. Whatever reads, compares, stores, shows or charges a price goes by this table, so a part is
 * added here, with a column of its own in the table of prices.
 */
const PARTS = {
  inputNano: {
    word: "input",
    says: "per million tokens of input, such as 2.50",
    title: "Input",
    about: "Credits per million input tokens.",
    counts: "input tokens",
    instead: null,
    otherwise: null,
    shareOf: null,
    tokens: (usage) => usage.inputTokens,
    dearer: false,
  },
  outputNano: {
    word: "output",
    says: "per million tokens of output",
    title: "Output",
    about: "Credits per million output tokens.",
    counts: "output tokens",
    instead: null,
    otherwise: null,
    shareOf: null,
    tokens: (usage) => usage.outputTokens,
    dearer: false,
  },
  cacheReadNano: {
    word: "cache_read",
    says: "per million tokens read from a cache (none: as input)",
    title: "Cached input",
    about: "Credits per million input tokens read from the provider's cache; null: no price.",
    counts: "cached input tokens",
    instead: "inputNano",
    otherwise: "as input",
    shareOf: "inputNano",
    tokens: (usage) => usage.cacheReadTokens,
    dearer: false,
  },
  cacheWrite5mNano: {
    word: "cache_write_5m",
    says: "per million tokens written to a cache for five minutes",
    title: "Cache write, 5 min",
    about: "Credits per million tokens cached for five minutes; null: no price.",
    counts: "tokens written to a cache",
    instead: "inputNano",
    otherwise: "as input",
    shareOf: "inputNano",
    tokens: (usage) => Math.max(0, usage.cacheWriteTokens - usage.cacheWrite1hTokens),
    dearer: true,
  },
  cacheWrite1hNano: {
    word: "cache_write_1h",
    says: "per million tokens written to a cache for an hour",
    title: "Cache write, 1 h",
    about: "Credits per million tokens cached for one hour; null: no price.",
    counts: "tokens written to a cache for an hour",
    instead: "cacheWrite5mNano",
    otherwise: "as 5 min",
    shareOf: "inputNano",
    tokens: (usage) => usage.cacheWrite1hTokens,
    dearer: true,
  },
} as const satisfies Record<string, Part>;

export type TariffPart = keyof typeof PARTS;
/** Whether a part must have a price is told by its row. */
type NeededPart = { [Name in TariffPart]: (typeof PARTS)[Name]["instead"] extends null ? Name : never }[TariffPart];
type OptionalPart = Exclude<TariffPart, NeededPart>;
type WordOf<Name extends TariffPart> = (typeof PARTS)[Name]["word"];

/** In the order in which they are shown. */
export const TARIFF_PARTS = Object.keys(PARTS) as readonly TariffPart[];
export const NEEDED_PARTS = TARIFF_PARTS.filter((part): part is NeededPart => PARTS[part].instead === null);
export const OPTIONAL_PARTS = TARIFF_PARTS.filter((part): part is OptionalPart => PARTS[part].instead !== null);

export const wordOf = <Name extends TariffPart>(part: Name): WordOf<Name> => PARTS[part].word;
export const saysOf = (part: TariffPart): string => PARTS[part].says;
export const titleOf = (part: TariffPart): string => PARTS[part].title;
export const aboutOf = (part: TariffPart): string => PARTS[part].about;
export const countsOf = (part: TariffPart): string => PARTS[part].counts;
export const otherwiseOf = (part: TariffPart): string | null => PARTS[part].otherwise;

/** A value for each of some parts. */
export const byPart = <Name extends TariffPart, Value>(parts: readonly Name[], value: (part: Name) => Value) =>
  Object.fromEntries(parts.map((part) => [part, value(part)])) as Record<Name, Value>;

/** The same, called as the catalogue file calls them. */
export const byWord = <Name extends TariffPart, Value>(parts: readonly Name[], value: (part: Name) => Value) =>
  Object.fromEntries(parts.map((part) => [wordOf(part), value(part)])) as Record<WordOf<Name>, Value>;

/** What is undefined was not said. */
export const onlySaid = <Value extends object>(values: Value) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Value]?: Exclude<Value[Name], undefined>;
  };

/**
 * Nano-credits per million tokens, and per call of a tool that the provider runs. Where an optional part has no price the nearest
 * price known applies: for an hour's writes that of five minutes, for everything else that of plain input.
 */
export type Tariff = { [Name in NeededPart]: bigint } & { [Name in OptionalPart]?: bigint | null } & {
  /** Per call, by the tool's name. */
  toolCallNano: Readonly<Record<string, bigint>>;
};

/** Parts of a tariff by their value; null takes one away, and what is not named stays. */
export type TariffParts = Partial<Omit<Tariff, "toolCallNano">> & {
  toolCallNano?: Readonly<Record<string, bigint | null>>;
};

/** A tariff with some parts changed; null when there was none and the parts do not make one. */
export function mergeTariff(before: Tariff | null, parts: TariffParts): Tariff | null {
  const { inputNano, outputNano } = { ...before, ...parts };
  if (inputNano === undefined || outputNano === undefined) return null;
  const tools = Object.entries({ ...before?.toolCallNano, ...parts.toolCallNano });
  return {
    inputNano,
    outputNano,
    ...byPart(OPTIONAL_PARTS, (part) => (parts[part] === undefined ? (before?.[part] ?? null) : parts[part])),
    toolCallNano: Object.fromEntries(tools.flatMap(([name, nano]) => (nano === null ? [] : [[name, nano]]))),
  };
}

export function sameTariff(one: Tariff, other: Tariff): boolean {
  const tools = Object.keys(one.toolCallNano);
  return (
    TARIFF_PARTS.every((part) => (one[part] ?? null) === (other[part] ?? null)) &&
    tools.length === Object.keys(other.toolCallNano).length &&
    tools.every((name) => one.toolCallNano[name] === other.toolCallNano[name])
  );
}

const MILLION = 1_000_000n;
const HALF_MILLION = MILLION / 2n;
/** A million credits for a million tokens: nobody means more. */
export const MOST_PRICE_NANO = MILLION * 1_000_000_000n;

/**
 * What a usage costs. The parts are added before the one rounding, half up, so that no part loses its fraction. A part
 * without a price of its own is in `unpricedUsage`.
 */
export function chargeOf(tariff: Tariff, usage: Usage): NanoCredits {
  let millionths = toolsNano(tariff, usage) * MILLION;
  for (const part of TARIFF_PARTS) {
    const tokens = tokensIn(part, usage);
    if (tokens > 0) millionths += BigInt(tokens) * nanoOf(tariff, part);
  }
  return (millionths + HALF_MILLION) / MILLION;
}

/**
 * The first part of a usage that costs the house money and has no price of its own, named as the catalogue file names it;
 * null when all of it is paid for. A cache read without a price is charged as plain input, which is never less than its provider asks.
 */
export function unpricedUsage(tariff: Tariff, usage: Usage): string | null {
  const lacks = (part: TariffPart): boolean =>
    PARTS[part].dearer && PARTS[part].tokens(usage) > 0 && (tariff[part] ?? null) === null;
  for (const part of TARIFF_PARTS) if (lacks(part)) return wordOf(part);
  const { toolCalls } = usage;
  for (const name in toolCalls)
    if ((toolCalls[name] ?? 0) > 0 && toolNano(tariff, name) === null) return `tools.${name}`;
  return null;
}

/** How long a provider may be asked to cache: what has no price is not asked for. A model without any price is not sold by it. */
export type SoldCache = "none" | "minutes" | "hour";

export function soldCache(tariff: Tariff | null): SoldCache {
  if (tariff === null) return "hour";
  if ((tariff.cacheWrite5mNano ?? null) === null) return "none";
  return (tariff.cacheWrite1hNano ?? null) === null ? "minutes" : "hour";
}

/** What a request is paid by: credit at a tariff, or tokens, of which each costs one. */
export type PayRate = {
  /** The most that a million tokens can cost, whatever becomes of the cache. */
  dearestInput: bigint;
  dearestOutput: bigint;
  costOf: (usage: Usage) => bigint;
  /** The part of a usage that this rate gives away; see `unpricedUsage`. */
  unpricedIn: (usage: Usage) => string | null;
};

/** What a request is paid by in each unit that its chain counts in; null where it does not. */
export type PayRates = { credits: PayRate | null; tokens: PayRate | null };

/** What a usage costs in each of them. */
export const costIn = ({ credits, tokens }: PayRates, usage: Usage): Amounts => ({
  credits: credits === null ? null : credits.costOf(usage),
  tokens: tokens === null ? null : tokens.costOf(usage),
});

/** Made once for a tariff, which never changes: a new price is a new tariff. */
export function creditRate(tariff: Tariff): PayRate {
  const known = CREDIT_RATES.get(tariff);
  if (known !== undefined) return known;
  const rate: PayRate = {
    dearestInput: dearestInputNano(tariff),
    dearestOutput: dearestNano(tariff, "outputNano"),
    costOf: (usage) => chargeOf(tariff, usage),
    unpricedIn: (usage) => unpricedUsage(tariff, usage),
  };
  CREDIT_RATES.set(tariff, rate);
  return rate;
}

const CREDIT_RATES = new WeakMap<Tariff, PayRate>();

export const TOKEN_RATE: PayRate = {
  dearestInput: MILLION,
  dearestOutput: MILLION,
  costOf: ({ inputTokens, outputTokens }) => BigInt(inputTokens + outputTokens),
  unpricedIn: () => null,
};

/** The most a million tokens of input can cost, whatever becomes of the cache. */
export const dearestInputNano = (tariff: Tariff): bigint => dearestNano(tariff, "inputNano");

function dearestNano(tariff: Tariff, whole: TariffPart): bigint {
  const prices = [whole, ...sharesOf(whole)].map((part) => nanoOf(tariff, part));
  return prices.reduce((dearest, price) => (price > dearest ? price : dearest), 0n);
}

/** A cost in millionths of a nano-credit, rounded up: money is set aside, not charged. */
export const roundedUp = (millionths: bigint): NanoCredits => (millionths + MILLION - 1n) / MILLION;

const SHARES = byPart(TARIFF_PARTS, (whole) => TARIFF_PARTS.filter((part) => PARTS[part].shareOf === whole));

const sharesOf = (whole: TariffPart): readonly TariffPart[] => SHARES[whole];

/** The tokens that are charged as this part. A provider that counts more shares than there is of the whole is not paid back. */
export const tokensOf = (part: TariffPart, usage: Usage): bigint => BigInt(tokensIn(part, usage));

/** The same as a number: counts of tokens are whole and safe, and so are their sums. */
function tokensIn(part: TariffPart, usage: Usage): number {
  let rest = PARTS[part].tokens(usage);
  for (const share of sharesOf(part)) rest -= tokensIn(share, usage);
  return Math.max(0, rest);
}

export function nanoOf(tariff: Tariff, part: TariffPart): bigint {
  const nano = tariff[part] ?? null;
  if (nano !== null) return nano;
  const { instead } = PARTS[part];
  invariant(instead !== null, "a part that is needed has a price");
  return nanoOf(tariff, instead);
}

function toolsNano(tariff: Tariff, { toolCalls }: Usage): bigint {
  let sum = 0n;
  for (const name in toolCalls) sum += BigInt(toolCalls[name] ?? 0) * (toolNano(tariff, name) ?? 0n);
  return sum;
}

/** Tool names come from a provider, so one may be called `constructor`. */
export const toolNano = ({ toolCallNano }: Tariff, name: string): bigint | null =>
  Object.hasOwn(toolCallNano, name) ? (toolCallNano[name] ?? null) : null;
