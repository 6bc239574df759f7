import { type Tariff, TARIFF_PARTS, type When, type WhenLine, whenOf, wordOf } from "./price.ts";

/** A line as the column has it, in the words of the catalogue file: amounts in the smallest unit, as text, and factors in billionths. */
export type StoredLine = Record<string, unknown> & {
  tier?: string;
  region?: string;
  hours?: string;
  input_above?: number;
  input_from?: number;
  times?: string;
  sold?: false;
  tools?: Record<string, string>;
};

/** Null: no lines, and so nothing in the column. */
export const storedLines = ({ when = [] }: Pick<Tariff, "when">): StoredLine[] | null =>
  when.length === 0 ? null : when.map(storedLine);

const storedLine = ({ when, nano, toolCallNano, times, sold }: WhenLine): StoredLine => {
  const { inputAbove, inputFrom, ...where } = when;
  return {
    ...where,
    ...(inputAbove === undefined ? {} : { input_above: inputAbove }),
    ...(inputFrom === undefined ? {} : { input_from: inputFrom }),
    ...Object.fromEntries(
      TARIFF_PARTS.flatMap((part) => (nano[part] === undefined ? [] : [[wordOf(part), String(nano[part])]])),
    ),
    ...(times === null ? {} : { times: String(times) }),
    ...(sold ? {} : { sold: false as const }),
    ...(Object.keys(toolCallNano).length === 0
      ? {}
      : { tools: Object.fromEntries(Object.entries(toolCallNano).map(([name, amount]) => [name, String(amount)])) }),
  };
};

export const whenOfStored = (lines: readonly StoredLine[] | null): Pick<Tariff, "when"> =>
  whenOf((lines ?? []).map(lineOf));

const lineOf = (line: StoredLine): WhenLine => ({
  when: whereOf(line),
  nano: Object.fromEntries(
    TARIFF_PARTS.flatMap((part) => {
      const amount = line[wordOf(part)];
      return typeof amount === "string" ? [[part, BigInt(amount)]] : [];
    }),
  ),
  toolCallNano: Object.fromEntries(Object.entries(line.tools ?? {}).map(([name, amount]) => [name, BigInt(amount)])),
  times: line.times === undefined ? null : BigInt(line.times),
  sold: line.sold !== false,
});

const whereOf = ({ tier, region, hours, input_above: inputAbove, input_from: inputFrom }: StoredLine): When => ({
  ...(tier === undefined ? {} : { tier }),
  ...(region === undefined ? {} : { region }),
  ...(hours === undefined ? {} : { hours }),
  ...(inputAbove === undefined ? {} : { inputAbove }),
  ...(inputFrom === undefined ? {} : { inputFrom }),
});
