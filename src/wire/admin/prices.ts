import { z } from "zod";
import { byWord, NEEDED_PARTS, OPTIONAL_PARTS } from "../../core/price.ts";
import {
  credits,
  effectiveFromIn,
  EXACT,
  tariffOf,
  tariffPartsOf,
  tariffPartsView,
  tariffView,
  toolPrices,
} from "../catalogue/price.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { dateOf, instant } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

/** Parts of a price by their amount; null takes one away, and what is not named stays. */
export const priceChangeSchema = z
  .strictObject({
    effective_from: effectiveFromIn(EXACT),
    ...byWord(NEEDED_PARTS, () => credits.exactOptional()),
    ...byWord(OPTIONAL_PARTS, () => credits.nullable().exactOptional()),
    tools: toolPrices(credits.nullable()).exactOptional(),
  })
  .refine((change) => Object.keys(change).length > 1, "Set at least one price, such as input")
  .transform(({ effective_from: fromMs, ...parts }) => ({ fromMs, parts: tariffPartsOf(parts) }));

export const priceChangeView = ({
  fromMs,
  parts,
}: ReadAs<typeof priceChangeSchema>): WrittenAs<typeof priceChangeSchema> => ({
  effective_from: dateOf(fromMs),
  ...tariffPartsView(parts),
});

const amount = z.string();

/** Credits per million tokens, and per call of a tool, as exact decimals. */
const tariffAnswer = {
  ...byWord(NEEDED_PARTS, () => amount),
  ...byWord(OPTIONAL_PARTS, () => amount.nullable()),
  tools: z.record(z.string(), amount),
};

export const tariffSchema = z.object(tariffAnswer).meta({ id: "Tariff" }).transform(tariffOf);

const priceAnswer = { version: z.int(), effective_from: instant, ...tariffAnswer };

export const priceSchema = z
  .object(priceAnswer)
  .meta({ id: "Price" })
  .transform(({ version, effective_from: effectiveFromMs, ...tariff }) => ({
    version,
    effectiveFromMs,
    ...tariffOf(tariff),
  }));

export const priceView = (price: ReadAs<typeof priceSchema>): WrittenAs<typeof priceSchema> => ({
  version: price.version,
  effective_from: dateOf(price.effectiveFromMs),
  ...tariffView(price),
});

const bookedPriceSchema = z
  .object({
    ...priceAnswer,
    withdrawn_at: instant.nullable().describe("When it was withdrawn before taking effect; null: it was not."),
    suspended_for: z
      .string()
      .nullable()
      .describe("Usage that this price does not cover and that suspended the model; null: none."),
  })
  .meta({ id: "BookedPrice" })
  .transform(({ version, effective_from, withdrawn_at, suspended_for, ...tariff }) => ({
    version,
    effectiveFromMs: effective_from,
    withdrawnAtMs: withdrawn_at,
    suspendedFor: suspended_for,
    ...tariffOf(tariff),
  }));

export const bookedPriceView = (price: ReadAs<typeof bookedPriceSchema>): WrittenAs<typeof bookedPriceSchema> => ({
  ...priceView(price),
  withdrawn_at: dateOf(price.withdrawnAtMs),
  suspended_for: price.suspendedFor,
});

export const pricePageSchema = pageQuery(100);
export const priceBookSchema = pageSchema(bookedPriceSchema);
