import { isObject } from "../../core/bytes/is-object.ts";
import { compareDecimals, type Decimal } from "../../core/money/decimal.ts";
import {
  byPart,
  NEEDED_PARTS,
  partInstead,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  type When,
  type WhenLine,
} from "../../core/money/price.ts";
import { ANY_REGION, PLAIN_TIER, rowsOf, startOf, tariffFault } from "../../core/money/rate-rows.ts";
import { nanoOf } from "./exchange.ts";
import { type LitellmEntry, numberIn } from "./litellm-entry.ts";
import {
  ABOVE,
  fieldOf,
  KNOWN_FIELDS,
  type Note,
  priceAt,
  sizesIn,
  soundAt,
  type Step,
  tierStep,
  unlessAbsurd,
  whenAbove,
} from "./litellm-steps.ts";

/** What ends the fields of a tier. Batches are no tier: they have an API of their own. */
const TIERS = ["priority", "flex"];
const FACTORS = "provider_specific_entry";
/** What a factor in messages is for. Other members are names of formats, not prices. */
const PLACES: Readonly<Record<string, When>> = { fast: { tier: "fast" }, us: { region: "us" } };
/** No provider sells a tier outside of these: such a number is a slip of the list. In tenths. */
const [LEAST_TENTHS, MOST_TENTHS] = [4n, 30n];
const OUT_OF_BOUNDS = "is outside of 0.4 to 3 times the usual price";
const NO_TIER = "is the usual price, so that it is no price of its own";
const ONE: Decimal = { digits: 1n, exponent: 0 };
const NANO_EXPONENT = -9;
const BILLION = 1_000_000_000n;

type TierTerms = {
  contextWindow: number | null;
  vendor: string;
  /** Whether the usual prices are those of another kind of token, which a tier has no price for. */
  isSpecial: boolean;
  nanoAt: (at: Step, part: TariffPart, price: Decimal) => bigint;
  note: Note;
};

/** With lines for the tiers that the list has prices for. One that does not fit is left out, by name. */
export const withTiers = (usual: Tariff, entry: LitellmEntry, terms: TierTerms): Tariff =>
  TIERS.filter((tier) => hasTier(entry, tier)).reduce((tariff, tier) => {
    const named = tierStep(entry, tier, 0).named(fieldOf("inputNano"));
    if (!terms.isSpecial) return withLines(tariff, tierLines(usual, { ...terms, entry, tier }), named, terms.note);
    terms.note(named, "has no price for tokens that cost more, so that the tier is not sold");
    return tariff;
  }, usual);

/** With the factors of speeds and regions that answers in messages name. */
export function withFactors(usual: Tariff, entry: LitellmEntry, note: Note): Tariff {
  const factors = entry[FACTORS];
  if (!isObject(factors)) return usual;
  return Object.entries(PLACES).reduce((tariff, [name, when]) => {
    const field = `${FACTORS}.${name}`;
    const times = unlessAbsurd(
      () => numberIn(factors, name),
      (_, problem) => note(field, problem),
    );
    if (times === null) return tariff;
    const nano = factorIn(times, (problem) => note(field, problem));
    if (nano === null) return tariff;
    const line = { when, nano: {}, toolCallNano: {}, times: nano, sold: true };
    const isEven = tariffFault({ ...tariff, when: [...(tariff.when ?? []), line] }) === null;
    return withLines(tariff, isEven ? [line] : writtenOut(tariff, when, nano), field, note);
  }, usual);
}

/**
 * The same as prices, each rounded to a whole nano-credit: of every size, and of every tier that has prices of its own. A tier that is a
 * factor multiplies these.
 */
function writtenOut(tariff: Tariff, place: When, times: bigint): WhenLine[] {
  const lines = tariff.when ?? [];
  const priced = new Set(lines.flatMap(({ when, times: factor }) => (factor === null ? [when.tier] : [])));
  const sides = new Map(lines.map(({ when }) => [startOf(when), sidesOf(when)]));
  return rowsOf(tariff)
    .filter(({ tier, region }) => region === ANY_REGION && (tier === PLAIN_TIER || priced.has(tier)))
    .map(({ tier, fromInput, nano, own }) => ({
      when: { ...(tier === PLAIN_TIER ? {} : { tier }), ...sides.get(fromInput), ...place },
      nano: byPart([...own], (part) => (nano[part] * times * 2n + BILLION) / (2n * BILLION)),
      toolCallNano: {},
      times: null,
      sold: true,
    }));
}

/** In billionths. */
function factorIn(times: Decimal, note: (problem: string) => void): bigint | null {
  const bound = (tenths: bigint): Decimal => ({ digits: tenths, exponent: -1 });
  if (compareDecimals(times, bound(LEAST_TENTHS)) < 0 || compareDecimals(times, bound(MOST_TENTHS)) > 0) {
    note(OUT_OF_BOUNDS);
    return null;
  }
  const nano = nanoOf(times, { markup: ONE, creditUsd: ONE });
  if (compareDecimals({ digits: nano, exponent: NANO_EXPONENT }, times) === 0 && compareDecimals(times, ONE) !== 0)
    return nano;
  note(compareDecimals(times, ONE) === 0 ? NO_TIER : "has more than nine decimals");
  return null;
}

function withLines(tariff: Tariff, lines: readonly WhenLine[], field: string, note: Note): Tariff {
  if (lines.length === 0) return tariff;
  const made = { ...tariff, when: [...(tariff.when ?? []), ...lines] };
  const fault = tariffFault(made);
  if (fault === null) return made;
  note(field, `makes no price: ${fault}`);
  return tariff;
}

const sidesOf = ({ inputAbove, inputFrom }: When): When => ({
  ...(inputAbove === undefined ? {} : { inputAbove }),
  ...(inputFrom === undefined ? {} : { inputFrom }),
});

const hasTier = (entry: LitellmEntry, tier: string): boolean =>
  Object.entries(entry).some(([field, value]) => {
    if (!field.endsWith(`_${tier}`) || (value ?? null) === null) return false;
    const plain = field.slice(0, -tier.length - 1);
    return KNOWN_FIELDS.has(ABOVE.exec(plain)?.[1] ?? plain);
  });

/** What reads the field next names what is wrong with it. */
const ignore: Note = () => undefined;

type Tiering = TierTerms & { entry: LitellmEntry; tier: string };

/** None: the tier is not sold. */
function tierLines(usual: Tariff, tiering: Tiering): WhenLine[] {
  const { entry, tier, contextWindow, vendor, note } = tiering;
  const plain = tierStep(entry, tier, 0);
  if (NEEDED_PARTS.every((part) => isUsual(plain, part, tiering, usual[part]))) {
    note(plain.named(fieldOf("inputNano")), NO_TIER);
    return [];
  }
  const nano = tierPrices(plain, { usual, own: usual, tiering, lost: "so that the tier is not sold" });
  if (nano === null) return [];
  const line = { toolCallNano: {}, times: null, sold: true };
  const lines: WhenLine[] = [{ ...line, when: { tier }, nano }];
  let own: Needed = usual;
  for (const above of sizesOf(usual, sizesIn(entry, contextWindow, `_${tier}`))) {
    const listed = (usual.when ?? []).find(({ when }) => sizeOf(when) === above);
    if (listed?.sold === false) break;
    if (listed !== undefined) own = listed.nano;
    const step = tierStep(entry, tier, above);
    const prices = hasPrices(step)
      ? tierPrices(step, { usual, own, tiering, lost: "so that such an input is not sold in this tier" })
      : null;
    const when = { tier, ...whenAbove(above, vendor) };
    if (prices === null) return [...lines, { ...line, when, nano: {}, sold: false }];
    lines.push({ ...line, when, nano: prices });
  }
  return lines;
}

const isUsual = (step: Step, part: TariffPart, { nanoAt }: Tiering, usual: bigint): boolean =>
  unlessAbsurd(() => {
    const price = priceAt(step, part);
    return price !== null && nanoAt(step, part, price) === usual;
  }, ignore) === true;

const sizeOf = ({ inputAbove, inputFrom }: When): number => inputAbove ?? inputFrom ?? 0;

/** Where the usual price has a line, a tier has one too. */
const sizesOf = (usual: Tariff, sizes: readonly number[]): number[] =>
  [...new Set([...(usual.when ?? []).map(({ when }) => sizeOf(when)), ...sizes])]
    .filter((size) => size > 0)
    .toSorted((one, other) => one - other);

/** Also one that cannot be right, which is named. */
const hasPrices = (step: Step): boolean =>
  TARIFF_PARTS.some((part) => unlessAbsurd(() => priceAt(step, part) !== null, ignore) ?? true);

type Needed = { readonly [Name in (typeof NEEDED_PARTS)[number]]?: bigint };

const isNeeded = (part: TariffPart): part is (typeof NEEDED_PARTS)[number] =>
  NEEDED_PARTS.some((needed) => needed === part);

type Pricing = {
  usual: Tariff;
  /** The usual prices of inputs of this size. */
  own: Needed;
  tiering: Tiering;
  lost: string;
};

/** Prices of all parts that the usual price has. Null, with a note: one of them is missing or cannot be right. */
function tierPrices(step: Step, { usual, own, tiering: { nanoAt, note }, lost }: Pricing): WhenLine["nano"] | null {
  const found = soundAt(step, note);
  // A part that costs as much as what applies instead of it does so in the tier.
  const priceOf = (part: TariffPart): Decimal | null => {
    if (found[part] !== null || isNeeded(part)) return found[part];
    const instead = partInstead(part);
    return usual[part] === usual[instead] ? priceOf(instead) : null;
  };
  const parts = TARIFF_PARTS.filter((part) => (usual[part] ?? null) !== null);
  const nano = unlessAbsurd(
    () =>
      byPart(parts, (part) => {
        const price = priceOf(part);
        return price === null ? null : nanoAt(step, part, price);
      }),
    note,
  );
  if (nano === null) return null;
  const prices: Partial<Record<TariffPart, bigint>> = {};
  for (const part of parts) {
    const price = nano[part];
    const isOff = price !== null && isNeeded(part) && isOutOfBounds(price, own[part]);
    if (price === null || isOff) {
      note(step.named(fieldOf(part)), `${isOff ? OUT_OF_BOUNDS : "is missing"}, ${lost}`);
      return null;
    }
    prices[part] = price;
  }
  return prices;
}

const isOutOfBounds = (price: bigint, usual = 0n): boolean =>
  price * 10n < usual * LEAST_TENTHS || price * 10n > usual * MOST_TENTHS;
