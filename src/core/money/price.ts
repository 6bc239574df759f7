import { invariant } from "../invariant.ts";
import { GROUNDED_PROMPT, type Usage } from "./usage.ts";

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
  shareOf: "inputNano" | "outputNano" | "cacheReadNano" | null;
  /** How many tokens of a usage are meant, the shares of others included. */
  tokens: (usage: Usage) => number;
  /** Providers ask more for it than for what applies instead, so that selling it without a price of its own loses money. */
  dearer: boolean;
  /** Requests that may come to such tokens are accepted, so that they are reserved for. */
  reserved: boolean;
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
    reserved: true,
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
    reserved: true,
  },
  outputReasoningNano: {
    word: "output_reasoning",
    says: "per million tokens of reasoning (none: as output)",
    title: "Reasoning",
    about: "Credits per million output tokens that are reasoning; null: no price.",
    counts: "reasoning tokens",
    instead: "outputNano",
    otherwise: "as output",
    shareOf: "outputNano",
    tokens: (usage) => Math.min(usage.reasoningTokens, usage.outputTokens),
    dearer: false,
    reserved: true,
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
    reserved: true,
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
    reserved: true,
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
    reserved: true,
  },
  inputAudioNano: {
    word: "input_audio",
    says: "per million tokens of audio in the input (none: as input)",
    title: "Audio input",
    about: "Credits per million input tokens that are audio; null: no price.",
    counts: "audio input tokens",
    instead: "inputNano",
    otherwise: "as input",
    shareOf: "inputNano",
    tokens: ({ parts }) => parts?.["input_audio"] ?? 0,
    dearer: true,
    reserved: false,
  },
  inputImageNano: {
    word: "input_image",
    says: "per million tokens of pictures in the input (none: as input)",
    title: "Image input",
    about: "Credits per million input tokens that are pictures; null: no price.",
    counts: "image input tokens",
    instead: "inputNano",
    otherwise: "as input",
    shareOf: "inputNano",
    tokens: ({ parts }) => parts?.["input_image"] ?? 0,
    dearer: false,
    reserved: true,
  },
  inputVideoNano: {
    word: "input_video",
    says: "per million tokens of film in the input (none: as input)",
    title: "Video input",
    about: "Credits per million input tokens that are film; null: no price.",
    counts: "video input tokens",
    instead: "inputNano",
    otherwise: "as input",
    shareOf: "inputNano",
    tokens: ({ parts }) => parts?.["input_video"] ?? 0,
    dearer: false,
    reserved: false,
  },
  cacheReadAudioNano: {
    word: "cache_read_audio",
    says: "per million tokens of audio read from a cache (none: as other cached input)",
    title: "Cached audio",
    about: "Credits per million audio tokens read from the provider's cache; null: no price.",
    counts: "cached audio tokens",
    instead: "cacheReadNano",
    otherwise: "as cached input",
    shareOf: "cacheReadNano",
    tokens: ({ parts }) => parts?.["cache_read_audio"] ?? 0,
    dearer: false,
    reserved: false,
  },
  outputAudioNano: {
    word: "output_audio",
    says: "per million tokens of audio in the output (none: as output)",
    title: "Audio output",
    about: "Credits per million output tokens that are audio; null: no price.",
    counts: "audio output tokens",
    instead: "outputNano",
    otherwise: "as output",
    shareOf: "outputNano",
    tokens: ({ parts }) => parts?.["output_audio"] ?? 0,
    dearer: true,
    reserved: false,
  },
  outputImageNano: {
    word: "output_image",
    says: "per million tokens of pictures in the output (none: as output)",
    title: "Image output",
    about: "Credits per million output tokens that are pictures; null: no price.",
    counts: "image output tokens",
    instead: "outputNano",
    otherwise: "as output",
    shareOf: "outputNano",
    tokens: ({ parts }) => parts?.["output_image"] ?? 0,
    dearer: true,
    reserved: true,
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
export const isReserved = (part: TariffPart): boolean => PARTS[part].reserved;
export const isDearer = (part: TariffPart): boolean => PARTS[part].dearer;

/** Whose price applies where this part has none. */
export function partInstead(part: TariffPart): TariffPart {
  const { instead } = PARTS[part];
  invariant(instead !== null, "a part that is needed has a price");
  return instead;
}

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
  /** From top to bottom: what replaces these prices, and where. Absent: nothing does. */
  when?: readonly WhenLine[];
  /** No price of output was said, so that only what has none may be sold by it; it counts as 0. Not kept. */
  inputOnly?: true;
};

/** Where a line of a price holds: where all that it names does. */
export type When = {
  /** More tokens of input than this, cached ones included. */
  inputAbove?: number;
  /** So many, or more. */
  inputFrom?: number;
  tier?: string;
  region?: string;
  /** In the words that `readHours` reads. All lines of a price that name hours name the same. */
  hours?: string;
};

/** A line has prices, or a factor for all prices of tokens, or says that this is not sold. */
export type WhenLine = {
  when: When;
  nano: { readonly [Name in TariffPart]?: bigint };
  toolCallNano: Readonly<Record<string, bigint>>;
  /** In billionths; null: none. */
  times: bigint | null;
  sold: boolean;
};

/** Tool names come from providers, so one may be called `constructor`. */
export const toolNano = ({ toolCallNano }: Pick<Tariff, "toolCallNano">, name: string): bigint | null =>
  Object.hasOwn(toolCallNano, name) ? (toolCallNano[name] ?? null) : null;

/** Whether a price says what a call of a tool costs. Who sells searches sells pages too: they cost nothing beside their tokens. */
export const pricesTool = (tariff: Pick<Tariff, "toolCallNano">, name: string): boolean =>
  toolNano(tariff, name) !== null || (name === "web_fetch" && toolNano(tariff, "web_search") !== null);

/** Whether a price is of searches of the kind that is billed once for each request that led to any, however many they were. */
export const pricesGrounding = (tariff: Pick<Tariff, "toolCallNano">): boolean =>
  toolNano(tariff, GROUNDED_PROMPT) !== null;

/** Two counts of the same searches, of which a provider bills one, and so a price names one. */
const SEARCHES: readonly string[] = ["web_search", GROUNDED_PROMPT];
const otherCount = (name: string): string | undefined =>
  SEARCHES.includes(name) ? SEARCHES.find((one) => one !== name) : undefined;

/** What a call costs beside the others of its answer: nothing where these pay for it. Null: the price does not say. */
export function callNano(
  tariff: Pick<Tariff, "toolCallNano">,
  name: string,
  isCounted: (name: string) => boolean,
): bigint | null {
  const own = toolNano(tariff, name);
  if (own !== null || pricesTool(tariff, name)) return own ?? 0n;
  const other = otherCount(name);
  return other !== undefined && isCounted(GROUNDED_PROMPT) && toolNano(tariff, other) !== null ? 0n : null;
}

/** Why prices of calls charge one thing twice; null: they do not. */
export function callsFault({ toolCallNano, when = [] }: Pick<Tariff, "toolCallNano" | "when">): string | null {
  const named = new Set([toolCallNano, ...when.map((line) => line.toolCallNano)].flatMap(Object.keys));
  return SEARCHES.every((name) => named.has(name))
    ? `it names ${SEARCHES.join(" and ")}, which count the same: leave out the one that its provider does not bill`
    : null;
}

/** Parts of a tariff by their value; null takes one away, and what is not named stays. */
export type TariffParts = Partial<Omit<Tariff, "toolCallNano">> & {
  toolCallNano?: Readonly<Record<string, bigint | null>>;
};

/** A tariff with some parts changed; null when there was none and the parts do not make one. */
export function mergeTariff(before: Tariff | null, parts: TariffParts): Tariff | null {
  const { inputNano, outputNano } = { ...before, ...parts };
  if (inputNano === undefined || outputNano === undefined) return null;
  const said = parts.toolCallNano ?? {};
  const kept = Object.entries(before?.toolCallNano ?? {}).filter(
    ([name]) => (said[otherCount(name) ?? name] ?? null) === null,
  );
  const tools = Object.entries({ ...Object.fromEntries(kept), ...said });
  return {
    inputNano,
    outputNano,
    ...byPart(OPTIONAL_PARTS, (part) => (parts[part] === undefined ? (before?.[part] ?? null) : parts[part])),
    toolCallNano: Object.fromEntries(tools.flatMap(([name, nano]) => (nano === null ? [] : [[name, nano]]))),
    ...whenOf(parts.when ?? before?.when),
  };
}

/** The lines of a tariff, where there are any: one that has none is as it was before there were lines. */
export const whenOf = (lines: readonly WhenLine[] | undefined): Pick<Tariff, "when"> =>
  lines === undefined || lines.length === 0 ? {} : { when: lines };

export function sameTariff(one: Tariff, other: Tariff): boolean {
  const tools = Object.keys(one.toolCallNano);
  return (
    TARIFF_PARTS.every((part) => (one[part] ?? null) === (other[part] ?? null)) &&
    tools.length === Object.keys(other.toolCallNano).length &&
    tools.every((name) => one.toolCallNano[name] === other.toolCallNano[name]) &&
    textOf(one.when ?? []) === textOf(other.when ?? [])
  );
}

/** The same text for the same lines, in whatever order their members are written. */
const textOf = (lines: readonly WhenLine[]): string =>
  JSON.stringify(
    lines.map(({ when, nano, toolCallNano, times, sold }) => [
      [when.inputAbove, when.inputFrom, when.tier, when.region, when.hours],
      TARIFF_PARTS.map((part) => nano[part]),
      Object.entries(toolCallNano).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      times,
      sold,
    ]),
    (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value),
  );

/** A million credits for a million tokens: nobody means more. */
export const MOST_PRICE_NANO = 1_000_000n * 1_000_000_000n;

/** How long a provider may be asked to cache: what has no price is not asked for. A model without any price is not sold by it. */
export type SoldCache = "none" | "minutes" | "hour";

export function soldCache(tariff: Tariff | null): SoldCache {
  if (tariff === null) return "hour";
  if ((tariff.cacheWrite5mNano ?? null) === null) return "none";
  return (tariff.cacheWrite1hNano ?? null) === null ? "minutes" : "hour";
}

const SHARES = byPart(TARIFF_PARTS, (whole) => TARIFF_PARTS.filter((part) => PARTS[part].shareOf === whole));

export const sharesOf = (whole: TariffPart): readonly TariffPart[] => SHARES[whole];

/** How many tokens of a usage are meant, the shares of others included. */
export const partTokens = (part: TariffPart, usage: Usage): number => PARTS[part].tokens(usage);

/** The tokens that are charged as this part. A provider that counts more shares than there is of the whole is not paid back. */
export const tokensOf = (part: TariffPart, usage: Usage): bigint => BigInt(tokensIn(part, usage));

/** The same as a number: counts of tokens are whole and safe, and so are their sums. */
export function tokensIn(part: TariffPart, usage: Usage): number {
  let rest = partTokens(part, usage);
  for (const share of sharesOf(part)) rest -= partTokens(share, usage);
  return Math.max(0, rest);
}
