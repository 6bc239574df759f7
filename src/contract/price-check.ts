import { z } from "zod";
import { instant } from "../wire/instant.ts";
import { renamed, within } from "../wire/codec.ts";

const fieldDifference = z
  .object({
    field: z.string().meta({ description: "What differs.", examples: ["input"] }),
    before: z
      .string()
      .nullable()
      .meta({ description: "In force; null: nothing.", examples: ["2.5"] }),
    after: z
      .string()
      .nullable()
      .meta({ description: "In the list; null: nothing.", examples: ["3"] }),
    factor: z
      .string()
      .nullable()
      .meta({
        description: "What the amount would be multiplied by; null: one of the two is none or 0.",
        examples: ["1.200"],
      }),
  })
  .meta({ id: "FieldDifference" });

const providerDifferences = z
  .object({
    provider: z.string().meta({ description: "Provider of the catalogue.", examples: ["openai"] }),
    vendor: z.string().meta({ description: "Its name in the list.", examples: ["openai"] }),
    markup: z.string().meta({ description: "Factor that prices of the list are multiplied by.", examples: ["1.2"] }),
    models: z.array(z.object({ id: z.string(), fields: z.array(fieldDifference).describe("What differs.") })),
  })
  .meta({ id: "ProviderDifferences" });

const found = renamed(
  z
    .object({
      at: instant.describe("When they were compared."),
      since: instant.describe("Since when this is what is found."),
      models: z.int().describe("How many models differ."),
      differences: z.array(providerDifferences).describe("By provider; of 200 models at most."),
      unlisted: z.array(z.string()).meta({
        description: "Providers of the catalogue that the list does not have by their names.",
        examples: [["vllm"]],
      }),
      stale: z.boolean().describe("True if a price was changed since; the next check comes within minutes."),
    })
    .meta({ id: "PriceListFindings" }),
  { atMs: "at", sinceMs: "since", isStale: "stale" },
);

const priceCheck = renamed(
  z
    .object({
      list: z.string().meta({ description: "The list: its name or its address.", examples: ["litellm"] }),
      at: instant.describe("When the last check began."),
      problem: z.string().nullable().describe("Why the last one failed; null: it did not."),
      failing_since: instant.nullable().describe("Since when checks fail; null: they do not."),
      found: found.nullable().describe("What the last one found that did not fail; null: there is none yet."),
    })
    .meta({ id: "PriceCheck" }),
  { atMs: "at", failingSinceMs: "failing_since" },
);

export const shownPriceCheck = within(
  "check",
  priceCheck
    .nullable()
    .describe("Null: prices are not compared with a list, or not yet. The setting is `price_check.list`."),
);
