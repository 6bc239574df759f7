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
  TARIFF_PARTS,
  type TariffParts,
  type WhenLine,
  whenOf,
  wordOf,
} from "../../core/money/price.ts";
import { isEmbedding, type RouteFormat } from "../../core/request/dialect.ts";
import { readHours } from "../../core/money/price-hours.ts";
import { MOST_ROWS, tariffFault } from "../../core/money/rate-rows.ts";
import type { RouteTerms } from "../../core/catalogue/route-terms.ts";
import { moment } from "../moment.ts";
import { storable } from "../storable.ts";
import { describedRouteIn, writtenRouteIn } from "./route.ts";

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
export type Notation = {
  credits: z.ZodType<string>;
  moment: z.ZodType<string>;
  route: <Cost extends z.ZodType>(cost: Cost) => z.ZodType<RouteTerms & { cost?: z.output<Cost> | undefined }>;
  lines: z.ZodType<WhenLineView[]>;
};

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

export const toolPrices = <Amount extends z.ZodType>(amount: Amount) =>
  z
    .record(storable(200).min(1), amount)
    .refine((named) => Object.keys(named).length <= MOST_TOOLS, `Input should name at most ${MOST_TOOLS} tools`);

const MOST_INPUT = 1_000_000_000;
const size = z.int().min(1).max(MOST_INPUT);
const where = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "Input should be a name such as flex");

const HOURS_FORM =
  "Input should be hours in UTC, such as mon-fri 01:00-04:00 06:00-10:00 except 2027-01-01: days or none, times that begin and end on one day, and days on which they do not hold";

/** What replaces the prices of a model, and where. */
const linesOf = <Amount extends z.ZodType<string>>(amount: Amount, meta: { id?: string }) =>
  z
    .array(
      z
        .strictObject({
          input_above: size
            .exactOptional()
            .describe("Holds where the input, cached tokens included, has more tokens than this."),
          input_from: size.exactOptional().describe("Holds where the input has so many tokens, or more."),
          tier: where.exactOptional().describe("Holds for requests that are served in this tier, such as `flex`."),
          region: where.exactOptional().describe("Holds for requests that are served in this region, such as `us`."),
          hours: z
            .string()
            .refine((text) => readHours(text) !== null, HOURS_FORM)
            .exactOptional()
            .describe(
              "Holds for requests that begin in these hours, in UTC, such as `mon-fri 01:00-04:00 06:00-10:00 except 2027-01-01`. All lines of a price that name hours name the same.",
            ),
          ...byWord(TARIFF_PARTS, () => amount.exactOptional()),
          times: amount
            .refine((text) => (parseCredits(text) ?? 0n) > 0n, "Input should be more than 0")
            .exactOptional()
            .describe("A factor for every price of tokens, in place of prices."),
          sold: z.literal(false).exactOptional().describe("`false`: this is not sold on credit."),
          tools: toolPrices(amount).exactOptional(),
        })
        .meta({
          ...meta,
          description: "A line of a price: where it holds, and what it replaces.",
          examples: [{ input_above: 272_000, input: "5", output: "22.5" }],
        }),
    )
    .max(MOST_ROWS)
    .describe("From top to bottom: a line replaces what it names where it holds.");

/** The same as a program writes them, and as it reads them. */
export const requestedLines = linesOf(credits, { id: "PriceWhenRequest" });
export const shownLines = linesOf(z.string(), { id: "PriceWhen" });

export type WhenLineView = z.output<typeof requestedLines>[number];

const lineView = ({ when, nano, toolCallNano, times, sold }: WhenLine): WhenLineView => ({
  ...(when.inputAbove === undefined ? {} : { input_above: when.inputAbove }),
  ...(when.inputFrom === undefined ? {} : { input_from: when.inputFrom }),
  ...(when.tier === undefined ? {} : { tier: when.tier }),
  ...(when.region === undefined ? {} : { region: when.region }),
  ...(when.hours === undefined ? {} : { hours: when.hours }),
  ...onlySaid(byWord(TARIFF_PARTS, (part) => ifSaid(nano[part], formatCredits))),
  ...(times === null ? {} : { times: formatCredits(times) }),
  ...(sold ? {} : { sold: false as const }),
  ...(Object.keys(toolCallNano).length === 0 ? {} : { tools: eachOf(toolCallNano, formatCredits) }),
});

const lineOf = (view: WhenLineView): WhenLine => ({
  when: {
    ...(view.input_above === undefined ? {} : { inputAbove: view.input_above }),
    ...(view.input_from === undefined ? {} : { inputFrom: view.input_from }),
    ...(view.tier === undefined ? {} : { tier: view.tier }),
    ...(view.region === undefined ? {} : { region: view.region }),
    ...(view.hours === undefined ? {} : { hours: view.hours }),
  },
  nano: onlySaid(byPart(TARIFF_PARTS, (part) => ifSaid(view[wordOf(part)], nanoOf))),
  toolCallNano: eachOf(view.tools ?? {}, nanoOf),
  times: view.times === undefined ? null : nanoOf(view.times),
  sold: view.sold !== false,
});

/** As a program writes them. */
export const EXACT: Notation = { credits, moment, route: describedRouteIn, lines: requestedLines };

/** As people write them in a file. */
export const WRITTEN: Notation = {
  credits: writtenCredits,
  moment: writtenMoment,
  route: writtenRouteIn,
  lines: linesOf(writtenCredits, {}),
};

const NO_OUTPUT = "Credits per million output tokens. A model that makes embeddings needs none.";

/** Whether its output has a price is checked where it is known what is sold by it. */
const amountsIn = (notation: Notation) => ({
  ...wholeAmountsIn(notation),
  output: notation.credits.exactOptional().describe(NO_OUTPUT),
});

const wholeAmountsIn = ({ credits: amount, lines }: Notation) => ({
  ...byWord(NEEDED_PARTS, () => amount),
  ...byWord(OPTIONAL_PARTS, () => amount.nullable().default(null)),
  tools: toolPrices(amount).default({}),
  when: lines.exactOptional(),
});

/** When a price begins; null: at once. */
export const effectiveFromIn = ({ moment: date }: Pick<Notation, "moment">) =>
  z
    .codec(date, z.number(), { decode: (text) => Date.parse(text), encode: (ms) => new Date(ms).toISOString() })
    .nullable()
    .default(null);

/** A tariff in the words of the catalogue file: credits per million tokens, and per call of a tool, as exact decimals. */
export type TariffView = Omit<ReturnType<typeof amountsView>, "output"> & { output?: string; when?: WhenLineView[] };

/** The same of what has a price for its output. */
type WholeTariffView = TariffView & { output: string };

const amountsView = (tariff: Tariff) => ({
  ...byWord(NEEDED_PARTS, (part) => formatCredits(tariff[part])),
  ...byWord(OPTIONAL_PARTS, (part) => textOf(tariff[part] ?? null)),
  tools: eachOf(tariff.toolCallNano, formatCredits),
});

/** A price without lines has no word of them. */
export const tariffView = (tariff: Tariff): WholeTariffView => ({
  ...amountsView(tariff),
  ...(tariff.when === undefined || tariff.when.length === 0 ? {} : { when: tariff.when.map(lineView) }),
});

/** The tariff of a view, whose amounts are known to be decimals. */
export const tariffOf = (view: TariffView): Tariff => ({
  ...byPart(NEEDED_PARTS, (part) => nanoOf(view[wordOf(part)] ?? "0")),
  ...byPart(OPTIONAL_PARTS, (part) => nanoOrNull(view[wordOf(part)])),
  toolCallNano: eachOf(view.tools, nanoOf),
  ...whenOf(view.when?.map(lineOf)),
  ...(view.output === undefined ? { inputOnly: true } : {}),
});

/** Some parts of a tariff; null takes one away. */
export type TariffPartsView = Partial<Omit<TariffView, "tools">> & { tools?: Record<string, string | null> };

export const tariffPartsView = (parts: TariffParts): TariffPartsView => ({
  ...(parts.when === undefined ? {} : { when: parts.when.map(lineView) }),
  ...onlySaid(byWord(NEEDED_PARTS, (part) => ifSaid(parts[part], formatCredits))),
  ...onlySaid(byWord(OPTIONAL_PARTS, (part) => ifSaid(parts[part], textOf))),
  ...(parts.toolCallNano === undefined ? {} : { tools: eachOf(parts.toolCallNano, textOf) }),
});

export const tariffPartsOf = (view: TariffPartsView): TariffParts => ({
  ...(view.when === undefined ? {} : { when: view.when.map(lineOf) }),
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

/** A tariff whose lines leave no gap; one with other faults hears of those first. */
function soundTariff<View extends TariffView>(schema: z.ZodType<View>) {
  return schema.check((payload) => {
    if (payload.issues.length > 0) return;
    const fault = tariffFault(tariffOf(payload.value));
    if (fault === null) return;
    payload.issues.push({
      code: "custom",
      path: ["when"],
      input: payload.value.when,
      message: `Input should be a whole price: ${fault}`,
    });
  });
}

/** Credits per million tokens, and per call of a tool. */
export const tariff = z.codec(
  soundTariff(z.strictObject(amountsIn(EXACT)).meta({ id: "TariffRequest" })),
  z.custom<Tariff>(),
  {
    decode: tariffOf,
    encode: tariffView,
  },
);

/** The same where it is not known what is sold by it, so that its output has a price. */
export const wholeTariff = z.codec(
  soundTariff(z.strictObject(wholeAmountsIn(EXACT)).meta({ id: "WholeTariffRequest" })),
  z.custom<Tariff>(),
  {
    decode: tariffOf,
    encode: tariffView,
  },
);

/** What generates needs a price of output, or its answers would be given away. */
export const lacksOutput = (priced: Pick<Tariff, "inputOnly"> | null | undefined, routes: Sold): boolean =>
  priced?.inputOnly === true && !(routes.length > 0 && routes.every(({ dialect }) => isEmbedding(dialect)));

type Sold = readonly { dialect: RouteFormat }[];

export const describedPriceIn = (notation: Notation) =>
  z.codec(
    soundTariff(
      z
        .strictObject({ effective_from: effectiveFromIn(notation), ...amountsIn(notation) })
        .meta({ id: "PriceRequest" }),
    ),
    z.custom<Tariff & { effectiveFromMs: number | null }>(),
    {
      decode: ({ effective_from: effectiveFromMs, ...amounts }) => ({ ...tariffOf(amounts), effectiveFromMs }),
      encode: ({ effectiveFromMs, ...priced }) => ({ effective_from: effectiveFromMs, ...tariffView(priced) }),
    },
  );

/** What a model costs its operator, as people write it. */
export const costPrice = z.codec(soundTariff(z.strictObject(wholeAmountsIn(WRITTEN))), z.custom<Tariff>(), {
  decode: tariffOf,
  encode: tariffView,
});
