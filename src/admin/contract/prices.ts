import { z } from "zod";
import { parseCredits } from "../../core/money.ts";
import { tariffOf, tariffPartsOf } from "../../core/tariff-view.ts";
import { moment } from "./moment.ts";
import { storable } from "./storable.ts";

/** A million credits for a million tokens: nobody means more. */
const MOST_NANO = 10n ** 15n;
const MOST_TOOLS = 100;

/** A decimal as text, since a JSON number would pass through a double. */
const credits = z
  .string()
  .max(40)
  .refine((text) => {
    const nano = parseCredits(text);
    return nano !== null && nano <= MOST_NANO;
  }, "Input should be a decimal such as 2.50, at most 1000000, with at most nine decimal places");

const tools = <Amount extends z.ZodType>(amount: Amount) =>
  z
    .record(storable(200).min(1), amount)
    .refine((named) => Object.keys(named).length <= MOST_TOOLS, `Input should name at most ${MOST_TOOLS} tools`);

/** When a price begins; null: at once. */
const effectiveFrom = moment
  .transform((text) => Date.parse(text))
  .nullable()
  .default(null);

const amounts = {
  input: credits,
  output: credits,
  cache_read: credits.nullable().default(null),
  cache_write_5m: credits.nullable().default(null),
  cache_write_1h: credits.nullable().default(null),
  tools: tools(credits).default({}),
};

/** Credits per million tokens, and per call of a tool. */
export const tariffSchema = z.strictObject(amounts).transform(tariffOf);

export const describedPriceSchema = z
  .strictObject({ effective_from: effectiveFrom, ...amounts })
  .transform(({ effective_from: effectiveFromMs, ...tariff }) => ({ ...tariffOf(tariff), effectiveFromMs }));

/** Parts of a price by their amount; null takes one away, and what is not named stays. */
export const priceChangeSchema = z
  .strictObject({
    effective_from: effectiveFrom,
    input: credits.exactOptional(),
    output: credits.exactOptional(),
    cache_read: credits.nullable().exactOptional(),
    cache_write_5m: credits.nullable().exactOptional(),
    cache_write_1h: credits.nullable().exactOptional(),
    tools: tools(credits.nullable()).exactOptional(),
  })
  .refine((change) => Object.keys(change).length > 1, "Name at least one price, such as input")
  .transform(({ effective_from: fromMs, ...parts }) => ({ fromMs, parts: tariffPartsOf(parts) }));
