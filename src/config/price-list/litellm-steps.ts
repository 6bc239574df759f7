import type { Decimal } from "../../core/money/decimal.ts";
import {
  byPart,
  NEEDED_PARTS,
  OPTIONAL_PARTS,
  TARIFF_PARTS,
  type TariffPart,
  type When,
  wordOf,
} from "../../core/money/price.ts";
import { AbsurdNumber, isDearer, isZero, type LitellmEntry, tieredPrices, times, tokenPrice } from "./litellm-entry.ts";

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
export const fieldsOf = (part: TariffPart): readonly string[] => FIELDS[part] ?? [];
export const specialFieldsOf = (part: TariffPart): readonly string[] => SPECIAL[part] ?? [];
export const fieldOf = (part: TariffPart): string => fieldsOf(part)[0] ?? wordOf(part);
export const KNOWN_FIELDS: ReadonlySet<string> = new Set([...Object.values(FIELDS), ...Object.values(SPECIAL)].flat());

export const ABOVE = /^(\w+)_above_(\d+)k_tokens$/;
/** They charge their larger price at the number itself; the others, above it. */
const AT_THE_NUMBER = /^(?:xai$|vertex_ai|google-vertex)|\bgrok-/;
/** The dearest hour of a cache that is known is twice the input. */
const MOST_HOUR = 4n;

/** What a token of each part costs; null: the list does not say so. */
export type Prices = Record<TariffPart, Decimal | null>;
export type Note = (field: string, problem: string) => void;
/** Prices of inputs above a size. `named`: what the list calls a field there. `isBase`: a model without its two prices is none. */
export type Step = {
  above: number;
  isBase: boolean;
  get: (field: string) => Decimal | null;
  named: (field: string) => string;
};

/** The plain prices, and those of larger inputs that the window lets in, by size. */
export function stepsOf(entry: LitellmEntry, contextWindow: number | null): [base: Step, ...steps: Step[]] {
  const within = (above: number): boolean => contextWindow === null || contextWindow > above;
  const [first, ...tiers] = tieredPrices(entry).map(({ above, prices }) => ({
    above,
    isBase: above === 0,
    get: (field: string) => tokenPrice(prices, field),
    named: (field: string) => `tiered_pricing above ${above}: ${field}`,
  }));
  // Prices by length in place of a price; beside one they must begin with it.
  if (first !== undefined) return [first, ...tiers.filter(({ above }) => within(above))];
  const plain: Step = { ...stepNamed(entry, 0, (field) => field), isBase: true };
  return [
    plain,
    ...sizesIn(entry, contextWindow, "").map((above) => stepNamed(entry, above, (field) => fieldAbove(field, above))),
  ];
}

/** The prices of a tier, as stepsOf has the usual ones. */
export const tierStep = (entry: LitellmEntry, tier: string, above: number): Step =>
  stepNamed(entry, above, (field) => `${above === 0 ? field : fieldAbove(field, above)}_${tier}`);

/** The sizes of input for which an entry has fields that end so, within the window. */
export function sizesIn(entry: LitellmEntry, contextWindow: number | null, ending: string): number[] {
  const sizes = Object.keys(entry).flatMap((field) => {
    const [, base = "", thousands = ""] =
      (field.endsWith(ending) && ABOVE.exec(field.slice(0, field.length - ending.length))) || [];
    const above = Number(thousands) * 1_000;
    return KNOWN_FIELDS.has(base) && (contextWindow === null || contextWindow > above) ? [above] : [];
  });
  return [...new Set(sizes)].toSorted((one, other) => one - other);
}

const fieldAbove = (field: string, above: number): string => `${field}_above_${above / 1_000}k_tokens`;

const stepNamed = (entry: LitellmEntry, above: number, named: Step["named"]): Step => ({
  above,
  isBase: false,
  get: (field) => tokenPrice(entry, named(field)),
  named,
});

/** `vendor`: by its name, or by that of the model. */
export const whenAbove = (above: number, vendor: string): When =>
  vendor.split(" ").some((word) => AT_THE_NUMBER.test(word)) ? { inputFrom: above } : { inputAbove: above };

export const priceAt = ({ get }: Step, part: TariffPart): Decimal | null =>
  fieldsOf(part)
    .map(get)
    .find((price) => price !== null) ?? null;

/** No model is without the two prices of its base. Any other that cannot be right is as if it were not there. */
const pricesAt = (step: Step, note: Note): Prices =>
  byPart(TARIFF_PARTS, (part) =>
    step.isBase && NEEDED_PARTS.some((needed) => needed === part)
      ? priceAt(step, part)
      : unlessAbsurd(
          () => priceAt(step, part),
          (_, problem) => note(step.named(fieldOf(part)), problem),
        ),
  );

/** Null, with a note, where a number cannot be right. */
export function unlessAbsurd<Value>(read: () => Value, note: Note): Value | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AbsurdNumber)) throw error;
    note(error.field, error.message);
    return null;
  }
}

/** Without those that cannot be right: as if the list did not have them. */
export function soundAt(step: Step, note: Note): Prices {
  const prices = pricesAt(step, note);
  const { inputNano: input, outputNano: output } = prices;
  const without = (part: TariffPart, problem: string | null): void => {
    prices[part] = null;
    if (problem !== null) note(step.named(fieldOf(part)), problem);
  };
  // A price of 0 beside an input that costs something says that nothing is known.
  for (const part of OPTIONAL_PARTS) if (prices[part] !== null && isZero(prices[part])) without(part, null);
  const { outputReasoningNano: reasoning, cacheWrite5mNano: minutes, cacheWrite1hNano: hour } = prices;
  if (step.isBase && reasoning !== null && output !== null && isSame(reasoning, output))
    without("outputReasoningNano", null);
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

export const isSame = (one: Decimal, other: Decimal): boolean => !isDearer(one, other) && !isDearer(other, one);
