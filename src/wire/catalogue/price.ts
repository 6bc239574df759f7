import { z } from "zod";
import { invariant } from "../../core/invariant.ts";
import { formatCredits, parseCredits } from "../../core/money/money.ts";
import {
  byPart,
  byWord,
  MOST_PRICE_NANO,
  NEEDED_PARTS,
  onlySaid,
  OPTIONAL_PARTS,
  type Tariff,
  type TariffParts,
  wordOf,
} from "../../core/money/price.ts";
import type { RouteTerms } from "../../core/catalogue/route-terms.ts";
import { moment } from "../moment.ts";
import { storable } from "../storable.ts";
import { describedRoute, writtenRoute } from "./route.ts";

const MOST_TOOLS = 100;

/** A decimal as text, since a JSON number would pass through a double. */
export const credits = z
  .string()
  .max(40)
  .refine((text) => {
    const nano = parseCredits(text);
    return nano !== null && nano <= MOST_PRICE_NANO;
  }, "Input should be a decimal such as 2.50, at most 1,000,000, with at most nine decimal places");

/** How amounts, moments and routes are written: a file for people takes more than a program must be able to read. */
export type Notation = { credits: z.ZodType<string>; moment: z.ZodType<string>; route: z.ZodType<RouteTerms> };

/** As a program writes them. */
export const EXACT: Notation = { credits, moment, route: describedRoute };

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
export const WRITTEN: Notation = { credits: writtenCredits, moment: writtenMoment, route: writtenRoute };

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
export const effectiveFromIn = ({ moment: date }: Pick<Notation, "moment">) =>
  z
    .codec(date, z.number(), { decode: (text) => Date.parse(text), encode: (ms) => new Date(ms).toISOString() })
    .nullable()
    .default(null);

/** A tariff in the words of the catalogue file: credits per million tokens, and per call of a tool, as exact decimals. */
export type TariffView = ReturnType<typeof tariffView>;

export const tariffView = (tariff: Tariff) => ({
  ...byWord(NEEDED_PARTS, (part) => formatCredits(tariff[part])),
  ...byWord(OPTIONAL_PARTS, (part) => textOf(tariff[part] ?? null)),
  tools: eachOf(tariff.toolCallNano, formatCredits),
});

/** The tariff of a view, whose amounts are known to be decimals. */
export const tariffOf = (view: TariffView): Tariff => ({
  ...byPart(NEEDED_PARTS, (part) => nanoOf(view[wordOf(part)])),
  ...byPart(OPTIONAL_PARTS, (part) => nanoOrNull(view[wordOf(part)])),
  toolCallNano: eachOf(view.tools, nanoOf),
});

/** Some parts of a tariff; null takes one away. */
export type TariffPartsView = Partial<Omit<TariffView, "tools">> & { tools?: Record<string, string | null> };

export const tariffPartsView = (parts: TariffParts): TariffPartsView => ({
  ...onlySaid(byWord(NEEDED_PARTS, (part) => ifSaid(parts[part], formatCredits))),
  ...onlySaid(byWord(OPTIONAL_PARTS, (part) => ifSaid(parts[part], textOf))),
  ...(parts.toolCallNano === undefined ? {} : { tools: eachOf(parts.toolCallNano, textOf) }),
});

export const tariffPartsOf = (view: TariffPartsView): TariffParts => ({
  ...onlySaid(byPart(NEEDED_PARTS, (part) => ifSaid(view[wordOf(part)], nanoOf))),
  ...onlySaid(byPart(OPTIONAL_PARTS, (part) => ifSaid(view[wordOf(part)], nanoOrNull))),
  ...(view.tools === undefined ? {} : { toolCallNano: eachOf(view.tools, nanoOrNull) }),
});

const ifSaid = <From, To>(value: From | undefined, change: (value: From) => To): To | undefined =>
  value === undefined ? undefined : change(value);

function nanoOf(text: string): bigint {
  const nano = parseCredits(text);
  invariant(nano !== null, "an amount that was checked is a decimal");
  return nano;
}

const nanoOrNull = (text: string | null): bigint | null => (text === null ? null : nanoOf(text));
const textOf = (nano: bigint | null): string | null => (nano === null ? null : formatCredits(nano));

const eachOf = <From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** Credits per million tokens, and per call of a tool. */
export const tariff = z.codec(z.strictObject(amountsIn(EXACT)).meta({ id: "TariffRequest" }), z.custom<Tariff>(), {
  decode: tariffOf,
  encode: tariffView,
});

export const describedPriceIn = (notation: Notation) =>
  z.codec(
    z.strictObject({ effective_from: effectiveFromIn(notation), ...amountsIn(notation) }).meta({ id: "PriceRequest" }),
    z.custom<Tariff & { effectiveFromMs: number | null }>(),
    {
      decode: ({ effective_from: effectiveFromMs, ...amounts }) => ({ ...tariffOf(amounts), effectiveFromMs }),
      encode: ({ effectiveFromMs, ...priced }) => ({ effective_from: effectiveFromMs, ...tariffView(priced) }),
    },
  );
