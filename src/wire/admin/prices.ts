import { z } from "zod";
import { byWord, NEEDED_PARTS, OPTIONAL_PARTS } from "../../core/price.ts";
import { tariffPartsOf } from "../../core/tariff-view.ts";
import { credits, effectiveFromIn, EXACT, toolPrices } from "../catalogue/price.ts";

/** Parts of a price by their amount; null takes one away, and what is not named stays. */
export const priceChangeSchema = z
  .strictObject({
    effective_from: effectiveFromIn(EXACT),
    ...byWord(NEEDED_PARTS, () => credits.exactOptional()),
    ...byWord(OPTIONAL_PARTS, () => credits.nullable().exactOptional()),
    tools: toolPrices(credits.nullable()).exactOptional(),
  })
  .refine((change) => Object.keys(change).length > 1, "Name at least one price, such as input")
  .transform(({ effective_from: fromMs, ...parts }) => ({ fromMs, parts: tariffPartsOf(parts) }));

const amount = z.string();

/** Credits per million tokens, and per call of a tool, as exact decimals. */
export const tariffAnswer = {
  ...byWord(NEEDED_PARTS, () => amount),
  ...byWord(OPTIONAL_PARTS, () => amount.nullable()),
  tools: z.record(z.string(), amount),
};

export const priceSchema = z
  .object({ version: z.int(), effective_from: z.iso.datetime(), ...tariffAnswer })
  .meta({ id: "Price" });

const bookedPriceSchema = z
  .object({
    ...priceSchema.shape,
    withdrawn_at: z.iso.datetime().nullable().describe("When it was taken back, before its date."),
    suspended_for: z.string().nullable().describe("What was used and has no price in it."),
  })
  .meta({ id: "BookedPrice" });

export const priceBookSchema = z.object({ data: z.array(bookedPriceSchema) });
