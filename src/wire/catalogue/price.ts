import { z } from "zod";
import { parseCredits } from "../../core/money.ts";
import { byWord, MOST_PRICE_NANO, NEEDED_PARTS, OPTIONAL_PARTS } from "../../core/price.ts";
import { tariffOf } from "../../core/tariff-view.ts";
import { moment } from "../moment.ts";
import { storable } from "../storable.ts";

const MOST_TOOLS = 100;

/** A decimal as text, since a JSON number would pass through a double. */
export const credits = z
  .string()
  .max(40)
  .refine((text) => {
    const nano = parseCredits(text);
    return nano !== null && nano <= MOST_PRICE_NANO;
  }, "Input should be a decimal such as 2.50, at most 1000000, with at most nine decimal places");

/** How amounts and moments are written: a file for people takes more than a program must be able to read. */
export type Notation = { credits: z.ZodType<string>; moment: z.ZodType<string> };

/** As a program writes them. */
export const EXACT: Notation = { credits, moment };

/** Credits as people write them, exactly. One finer than a nano-credit keeps its exponent and is refused. */
const writtenCredits = z
  .union([z.string(), z.number()])
  .transform((value) => (typeof value === "number" ? decimalOf(value) : value))
  .pipe(credits);

const decimalOf = (value: number): string => (Number(value.toFixed(9)) === value ? value.toFixed(9) : String(value));

/** A date alone is its midnight in UTC. */
const writtenMoment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date().transform((date) => `${date}T00:00:00Z`)], {
    error: "Input should be a date, or a date and time with its offset, such as 2027-01-31T12:00:00Z",
  })
  .pipe(moment);

/** As people write them in a file. */
export const WRITTEN: Notation = { credits: writtenCredits, moment: writtenMoment };

export const toolPrices = <Amount extends z.ZodType>(amount: Amount) =>
  z
    .record(storable(200).min(1), amount)
    .refine((named) => Object.keys(named).length <= MOST_TOOLS, `Input should name at most ${MOST_TOOLS} tools`);

const amountsIn = ({ credits: amount }: Notation) => ({
  ...byWord(NEEDED_PARTS, () => amount),
  ...byWord(OPTIONAL_PARTS, () => amount.nullable().default(null)),
  tools: toolPrices(amount).default({}),
});

/** When a price begins; null: at once. */
export const effectiveFromIn = ({ moment: date }: Notation) =>
  date
    .transform((text) => Date.parse(text))
    .nullable()
    .default(null);

/** Credits per million tokens, and per call of a tool. */
export const tariff = z.strictObject(amountsIn(EXACT)).transform(tariffOf);

export const describedPriceIn = (notation: Notation) =>
  z
    .strictObject({ effective_from: effectiveFromIn(notation), ...amountsIn(notation) })
    .transform(({ effective_from: effectiveFromMs, ...amounts }) => ({ ...tariffOf(amounts), effectiveFromMs }));
