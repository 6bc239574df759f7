import { parseCredits } from "./money.ts";
import { type PriceHours, readHours } from "./price-hours.ts";
import {
  byPart,
  callsFault,
  OPTIONAL_PARTS,
  partInstead,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  type When,
  type WhenLine,
  wordOf,
} from "./price.ts";

/** A row of a price as its provider prints it: what everything costs from so much input to so much. */
export type RateRow = {
  fromInput: number;
  toInput: number;
  tier: string;
  region: string;
  /** Whether it holds in the hours that the price names; one that names none has no row of them. */
  peak: boolean;
  nano: Readonly<Record<TariffPart, bigint>>;
  /** Parts with a price of their own; the others cost what applies instead. */
  own: ReadonlySet<TariffPart>;
  toolCallNano: Readonly<Record<string, bigint>>;
};

/** As the provider said of an answer. */
export type Served = { tier: string; region: string; peak?: boolean };

/** What is served where nobody asks for anything else. */
export const PLAIN_TIER = "default";
export const ANY_REGION = "any";
export const PLAIN: Served = Object.freeze({ tier: PLAIN_TIER, region: ANY_REGION });

/** More than any list has. */
export const MOST_ROWS = 64;
const NO_END = Number.MAX_SAFE_INTEGER;
const BILLION = 1_000_000_000n;

type Compiled = { rows: readonly RateRow[]; fault: string | null; hours: PriceHours | null };

const COMPILED = new WeakMap<object, Compiled>();

/** Made once for a tariff, which never changes. */
function compiled(tariff: Tariff): Compiled {
  const known = COMPILED.get(tariff);
  if (known !== undefined) return known;
  const made = compile(tariff);
  COMPILED.set(tariff, made);
  return made;
}

/** The rows of a tariff, by size of input within each tier and region. What is not sold has none. */
export const rowsOf = (tariff: Tariff): readonly RateRow[] => compiled(tariff).rows;

/** Why a tariff is no price, in words that name the line that is missing; null: it is one. */
export const tariffFault = (tariff: Tariff): string | null => compiled(tariff).fault ?? callsFault(tariff);

/** The hours that a price names, in its words; null: none. */
export const hoursIn = ({ when = [] }: Pick<Tariff, "when">): string | null =>
  when.find(({ when: { hours } }) => hours !== undefined)?.when.hours ?? null;

/** Whether a moment is in the hours that a price names. */
export const isPeak = (tariff: Tariff, atMs: number): boolean => compiled(tariff).hours?.(atMs) ?? false;

/**
 * The row of an answer. What is not named is charged as what everybody is served, and an input that is larger than what is sold at the
 * largest that is: neither was asked for.
 */
export function rowFor(rows: readonly RateRow[], inputTokens: number, asked: Served = PLAIN): RateRow {
  const [first] = rows;
  if (rows.length === 1 && first !== undefined) return first;
  const served = asked.peak === true && !namesHours(rows) ? { ...asked, peak: false } : asked;
  let found = rowIn(rows, inputTokens, served);
  if (found === null && served.region !== ANY_REGION)
    found = rowIn(rows, inputTokens, { ...served, region: ANY_REGION });
  if (found === null && served.tier !== PLAIN_TIER) found = rowIn(rows, inputTokens, { ...served, tier: PLAIN_TIER });
  found ??= rowIn(rows, inputTokens, { ...PLAIN, peak: served.peak ?? false });
  if (found === null) throw new Error("a tariff sells something to those who ask for nothing else");
  return found;
}

/** A price that names no hours has the same rows at all of them. */
export const namesHours = (rows: readonly RateRow[]): boolean => rows.some(({ peak }) => peak);

/** Of its tier, region and hours; the rows are in the order of their sizes. */
function rowIn(rows: readonly RateRow[], inputTokens: number, { tier, region, peak = false }: Served): RateRow | null {
  let found: RateRow | null = null;
  for (const row of rows) {
    if (
      row.tier === tier &&
      row.region === region &&
      row.peak === peak &&
      (row.fromInput <= inputTokens || found === null)
    )
      found = row;
  }
  return found;
}

/** Rows of what may be served, beginning below so much input: one of them an answer is charged at. */
export const rowsWithin = (
  rows: readonly RateRow[],
  mostInput: number,
  served: readonly Served[],
): readonly RateRow[] => {
  const [first] = rows;
  if (rows.length === 1 && first !== undefined) return rows;
  const named = rows.filter(({ tier, region, peak }) =>
    served.some((one) => one.tier === tier && one.region === region && (one.peak ?? false) === peak),
  );
  const within = named.filter(({ fromInput }) => fromInput <= mostInput);
  return within.length > 0 ? within : [rowFor(rows, mostInput, served[0] ?? PLAIN)];
};

/** All that may be served to those who ask for a tier: they may get what everybody gets, and the region is the provider's to choose. */
export const servedAfter = (rows: readonly RateRow[], asked: string, peak = false): readonly Served[] =>
  distinct(asked, [PLAIN_TIER]).flatMap((tier) =>
    distinct(
      ANY_REGION,
      rows.map(({ region }) => region),
    ).map((region) => ({ tier, region, peak })),
  );

/** The tiers that a price sells beside what everybody is served. */
export const tiersSold = (tariff: Tariff): readonly string[] => [
  ...new Set(rowsOf(tariff).flatMap(({ tier }) => (tier === PLAIN_TIER ? [] : [tier]))),
];

/** The largest input of a tier that is sold, whatever the region; null: any. */
export function largestSold(tariff: Tariff, asked: string = PLAIN_TIER): number | null {
  const sold = rowsOf(tariff).filter(({ tier, region, peak }) => tier === asked && region === ANY_REGION && !peak);
  const last = sold.at(-1);
  return last === undefined || last.toInput === NO_END ? null : last.toInput;
}

/** Where a line of a price begins to hold. */
export const startOf = ({ inputAbove, inputFrom }: When): number =>
  inputAbove === undefined ? (inputFrom ?? 0) : inputAbove + 1;

function compile(tariff: Tariff): Compiled {
  const lines = tariff.when ?? [];
  if (lines.length === 0) return { rows: [plainRow(tariff)], fault: null, hours: null };
  const fault =
    firstOf(lines, (line, index) => lineFault(tariff, line, lines.slice(0, index))) ??
    firstOf(lines, ({ when }) => unpricedPlace(when, lines));
  if (fault !== null) return { rows: [], fault, hours: null };
  const named = hoursIn(tariff);
  const hours = named === null ? null : readHours(named);
  const tiers = distinct(
    PLAIN_TIER,
    lines.map(({ when }) => when.tier),
  );
  const regions = distinct(
    ANY_REGION,
    lines.map(({ when }) => when.region),
  );
  const starts = [...new Set([0, ...lines.map(({ when }) => startOf(when))])].toSorted((one, other) => one - other);
  const peaks = hours === null ? [false] : [false, true];
  const count = tiers.length * regions.length * starts.length * peaks.length;
  if (count > MOST_ROWS)
    return { rows: [], fault: `its lines make ${count} rows, and ${MOST_ROWS} is the most`, hours };
  const made = peaks.flatMap((peak) =>
    tiers.flatMap((tier) =>
      regions.flatMap((region) =>
        starts.map((fromInput, index) =>
          rowAt(tariff, { fromInput, toInput: (starts[index + 1] ?? NO_END + 1) - 1, tier, region, peak }),
        ),
      ),
    ),
  );
  const wrong = made.find((row) => typeof row === "string");
  if (wrong !== undefined) return { rows: [], fault: wrong, hours };
  const rows = made.filter((row): row is RateRow => typeof row === "object" && row !== null);
  const sold = rows.some(({ tier, region }) => tier === PLAIN_TIER && region === ANY_REGION);
  return sold
    ? { rows, fault: null, hours }
    : { rows: [], fault: "nothing is sold to those who ask for no tier and no region", hours };
}

type Place = Pick<RateRow, "fromInput" | "toInput" | "tier" | "region" | "peak">;

const plainRow = (tariff: Tariff): RateRow => ({
  fromInput: 0,
  toInput: NO_END,
  ...PLAIN,
  peak: false,
  ...pricesOf({ ...tariff, when: [] }),
  toolCallNano: tariff.toolCallNano,
});

/** Null: it is not sold. Text: why it cannot be made. */
function rowAt(tariff: Tariff, place: Place): RateRow | string | null {
  const active = (tariff.when ?? []).filter(({ when }) => holds(when, place));
  if (active.some(({ sold }) => !sold)) return null;
  const clash = clashOf(active);
  if (clash !== null) return clash;
  const { nano: tokens, own } = pricesOf(Object.assign({}, tariff, ...active.map(({ nano }) => nano)) as Tariff);
  const factor = active.reduce((product, { times }) => product * (times ?? BILLION), 1n);
  const divisor = active.reduce((product) => product * BILLION, 1n);
  const uneven = TARIFF_PARTS.find((part) => (tokens[part] * factor) % divisor !== 0n);
  if (uneven !== undefined)
    return `${wordOf(uneven)} times what its lines say is no whole nano-credit: write the price out`;
  return {
    ...place,
    nano: byPart(TARIFF_PARTS, (part) => (tokens[part] * factor) / divisor),
    own,
    toolCallNano: Object.assign({}, tariff.toolCallNano, ...active.map(({ toolCallNano }) => toolCallNano)) as Record<
      string,
      bigint
    >,
  };
}

const holds = (when: When, { fromInput, tier, region, peak }: Place): boolean =>
  startOf(when) <= fromInput &&
  (when.tier ?? tier) === tier &&
  (when.region ?? region) === region &&
  (when.hours === undefined || peak);

function pricesOf(tariff: Tariff): Pick<RateRow, "nano" | "own"> {
  const nanoOf = (part: TariffPart): bigint => {
    const nano = tariff[part] ?? null;
    return nano ?? nanoOf(partInstead(part));
  };
  return {
    nano: byPart(TARIFF_PARTS, nanoOf),
    own: new Set(TARIFF_PARTS.filter((part) => (tariff[part] ?? null) !== null)),
  };
}

/** What is wrong with a line, whatever the others say. */
function lineFault(tariff: Tariff, line: WhenLine, before: readonly WhenLine[]): string | null {
  const { when, nano, times, sold } = line;
  const words = wordsOf(when);
  const said = TARIFF_PARTS.filter((part) => nano[part] !== undefined);
  if (Object.keys(when).length === 0) return "a line of `when` needs a condition, such as input_above";
  if (when.inputAbove !== undefined && when.inputFrom !== undefined) {
    return `${words} has both sides of a step: input_above is more than that number, input_from is that number or more`;
  }
  if (when.tier === PLAIN_TIER || when.region === ANY_REGION) {
    return `${words} names what holds without a line: leave out ${when.tier === PLAIN_TIER ? "the tier" : "the region"}`;
  }
  if (before.some((other) => wordsOf(other.when) === words)) return `${words} is there twice`;
  if (when.hours !== undefined) {
    const other = before.find((earlier) => (earlier.when.hours ?? when.hours) !== when.hours);
    if (other !== undefined)
      return `${words} and ${wordsOf(other.when)} name different hours: a price has one kind of them`;
    if (readHours(when.hours) === null) return `${words} has hours that are none, such as mon-fri 01:00-04:00`;
    if (!sold) return `${words} is sold at other hours: give it prices or times`;
  }
  const kinds = Number(said.length > 0) + Number(times !== null) + Number(!sold);
  if (kinds > 1) return `${words} has more than one of prices, times and sold: false`;
  if (kinds === 0 && Object.keys(line.toolCallNano).length === 0) return `${words} changes nothing`;
  const lacks = OPTIONAL_PARTS.filter((part) => (tariff[part] ?? null) !== null && nano[part] === undefined);
  const needed = TARIFF_PARTS.filter((part) => !isOptional(part) && nano[part] === undefined);
  const missing = [...needed, ...lacks].map(wordOf);
  if (said.length > 0 && missing.length > 0)
    return `${words} has no ${missing.join(", ")}: a line with prices has all that the base has`;
  return null;
}

const isOptional = (part: TariffPart): boolean => (OPTIONAL_PARTS as readonly TariffPart[]).includes(part);

/** A tier or a region that is named beside something else alone: what it costs by itself is not known, and it is no base price. */
function unpricedPlace({ tier, region }: When, lines: readonly WhenLine[]): string | null {
  const places: When[] = [...(tier === undefined ? [] : [{ tier }]), ...(region === undefined ? [] : [{ region }])];
  const isPriced = (place: When): boolean =>
    lines.some(
      ({ when, nano, times, sold }) =>
        wordsOf(when) === wordsOf(place) && (Object.keys(nano).length > 0 || times !== null || !sold),
    );
  const missing = places.find((place) => !isPriced(place));
  return missing === undefined
    ? null
    : `there is no price for ${wordsOf(missing)} alone: add a line with its prices, or with times, or with sold: false`;
}

/** Two lines that hold together, and of which the later was written without a thought of the earlier: what both cost is not known. */
function clashOf(active: readonly WhenLine[]): string | null {
  const priced = active.filter(({ nano }) => Object.keys(nano).length > 0);
  const last = priced.at(-1);
  const doubled = active.find(({ when, times }) => times !== null && last !== undefined && implies(last.when, when));
  if (doubled !== undefined && last !== undefined) {
    return `${wordsOf(last.when)} has prices, and ${wordsOf(doubled.when)} multiplies them: leave out one of the two`;
  }
  const others = priced.filter((line) => last !== undefined && !implies(last.when, line.when));
  const [other] = others;
  if (last === undefined || other === undefined) return null;
  const hidden = others.find(({ when }) => implies(when, last.when));
  if (hidden !== undefined) return `${wordsOf(hidden.when)} never holds: put it below ${wordsOf(last.when)}`;
  const { inputAbove: _above, inputFrom: _from, ...where } = { ...other.when, ...last.when };
  const step = startOf(other.when) > startOf(last.when) ? other.when : last.when;
  const sizes = {
    ...(step.inputAbove === undefined ? {} : { inputAbove: step.inputAbove }),
    ...(step.inputFrom === undefined ? {} : { inputFrom: step.inputFrom }),
  };
  return `there is no price where ${wordsOf(other.when)} and ${wordsOf(last.when)} both hold: add a line ${wordsOf({ ...where, ...sizes })} with its prices${where.hours === undefined ? ", or with sold: false" : ""}`;
}

/** Whether the second holds wherever the first does. */
const implies = (one: When, other: When): boolean =>
  startOf(one) >= startOf(other) &&
  (other.tier === undefined || other.tier === one.tier) &&
  (other.region === undefined || other.region === one.region) &&
  (other.hours === undefined || other.hours === one.hours);

/** A condition as the catalogue file has it. */
export const wordsOf = ({ tier, region, hours, inputAbove, inputFrom }: When): string =>
  `{ ${[
    tier === undefined ? null : `tier: ${tier}`,
    region === undefined ? null : `region: ${region}`,
    hours === undefined ? null : `hours: "${hours}"`,
    inputAbove === undefined ? null : `input_above: ${inputAbove}`,
    inputFrom === undefined ? null : `input_from: ${inputFrom}`,
  ]
    .filter((word) => word !== null)
    .join(", ")} }`;

const distinct = (first: string, others: readonly (string | undefined)[]): string[] => [
  ...new Set([first, ...others.filter((other) => other !== undefined)]),
];

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item, index: number) => Found | null): Found | null {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== null) return found;
  }
  return null;
}

/** A factor such as 1.1, in billionths; null: it is none. */
export const readTimes = (text: string): bigint | null => {
  const nano = parseCredits(text);
  return nano === null || nano === 0n ? null : nano;
};
