import { z } from "zod";
import { tariffAnswer } from "./prices.ts";

const tariff = z.object(tariffAnswer).meta({ id: "Tariff" });

/** What a change of the catalogue did. */
const changeSchema = z
  .union([
    z.object({
      kind: z.literal("price"),
      name: z.string(),
      change: z.enum(["added", "changed", "withdrawn"]),
      version: z.int(),
      effective_from: z.iso.datetime(),
      before: tariff.nullable(),
      after: tariff.nullable(),
    }),
    z.object({
      kind: z.enum(["provider", "model", "route"]),
      name: z.string(),
      change: z.enum(["added", "changed"]),
    }),
  ])
  .meta({ id: "CatalogueChange" });

export const changesSchema = z.object({ changes: z.array(changeSchema) });

const factsSchema = z.object({
  context_window: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  price: tariff.nullable(),
});

export const importedSchema = z.object({
  applied: z.boolean(),
  data: z.array(
    z.object({
      id: z.string(),
      change: z
        .enum(["new", "changed", "unchanged", "foreign"])
        .describe("`foreign`: another provider's model has that name here, and it is left alone."),
      before: factsSchema.nullable(),
      after: factsSchema,
    }),
  ),
});
