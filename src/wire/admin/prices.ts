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
