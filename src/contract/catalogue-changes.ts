import { z } from "zod";
import { instant } from "../wire/instant.ts";
import { renamed, within } from "../wire/codec.ts";
import { tariff } from "./prices.ts";

const priceChanged = renamed(
  z.object({
    kind: z.enum(["price", "cost"]).describe("`cost`: of a provider's model, in dollars."),
    name: z.string(),
    change: z.enum(["added", "changed", "withdrawn"]),
    version: z.int(),
    effective_from: instant,
    before: tariff
      .nullable()
      .describe("The price or cost that applied, or would have applied, from that date; null: none."),
    after: tariff.nullable(),
  }),
  { effectiveFromMs: "effective_from" },
);

/** What a change of the catalogue did. */
export const catalogueChange = z
  .union([
    priceChanged,
    z.object({ kind: z.enum(["provider", "model", "route"]), name: z.string(), change: z.enum(["added", "changed"]) }),
  ])
  .meta({ id: "CatalogueChange" });

export const catalogueChanges = within("changes", z.array(catalogueChange));
