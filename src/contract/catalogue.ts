import { z } from "zod";
import type { ImportedModel } from "../core/catalogue/imported-model.ts";
import { SKIP_REASONS, type SkippedModel, skippedByReason, type SkipReason } from "../core/catalogue/price-list.ts";
import type { ManageCatalogue } from "../operator/catalogue.ts";
import { areDifferent, description, MOST_MODELS, tokenLimit } from "../wire/catalogue/description.ts";
import { wholeTariff as tariffRequest } from "../wire/catalogue/price.ts";
import { format, name, upstreamModel } from "../wire/catalogue/route.ts";
import { oneOf, renamed } from "../wire/codec.ts";
import { catalogueChanges } from "./catalogue-changes.ts";
import { publication } from "./models.ts";
import type { Operations } from "./operation.ts";
import { shownPriceCheck } from "./price-check.ts";
import { tariff } from "./prices.ts";

const FACT_NAMES = { contextWindow: "context_window", maxOutputTokens: "max_output_tokens", tariff: "price" } as const;

const listedModel = renamed(
  z
    .strictObject({
      id: name,
      upstream_model: upstreamModel,
      format,
      context_window: tokenLimit.nullable(),
      max_output_tokens: tokenLimit.nullable().describe("null: of a model that makes embeddings."),
      reasoning: z.boolean().nullable().default(null).describe("Whether the model reasons; null: not known."),
      price: tariffRequest,
    })
    .refine((listed) => listed.max_output_tokens !== null || listed.format === "embeddings", {
      path: ["max_output_tokens"],
      error: "Input should be a number: only a model that makes embeddings has no output limit",
    }),
  { ...FACT_NAMES, upstreamModel: "upstream_model", dialect: "format" },
);

const mode = oneOf(z.boolean().default(false), { false: "preview", true: "apply" });

/** A price list that somebody has read already; without `apply` it is only compared. */
const importRequest = renamed(
  z.strictObject({
    provider: name,
    models: z
      .array(listedModel)
      .max(MOST_MODELS)
      .refine((rows) => areDifferent(rows.map(({ id }) => id)), "List should name every model once"),
    published: publication(z.boolean().default(false)),
    apply: mode,
  }),
  { publication: "published", mode: "apply" },
);

const listedFacts = renamed(
  z.object({
    context_window: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    reasoning: z.boolean().nullable(),
    price: tariff.nullable(),
  }),
  FACT_NAMES,
);

export const importedModel = z
  .object({
    id: z.string(),
    change: z
      .enum(["new", "changed", "unchanged", "foreign"])
      .describe(
        "`foreign`: the id belongs to a model of another provider, or to one that makes embeddings where the listed one generates text or the other way round; it is unchanged.",
      ),
    before: listedFacts.nullable(),
    after: listedFacts,
  })
  .meta({ id: "ImportedModel" });

const imported = z.object({ applied: z.boolean(), data: z.array(importedModel) });

const pattern = z.string().min(1).max(200);

/** The text of a price list. A float would round its prices, so it is no JSON of this body. */
export const priceListRequest = z
  .strictObject({
    provider: name,
    list: z
      .string()
      .min(2)
      .nullable()
      .default(null)
      .meta({
        description:
          "Text of LiteLLM's `model_prices_and_context_window.json` or of models.dev's `api.json`; null: the list that ships with Tollgate.",
        examples: ['{"acme-large": {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 1e-06}}'],
      }),
    accept_old_list: z
      .boolean()
      .default(false)
      .describe("Whether to use the list that ships with Tollgate when it is older than 45 days; otherwise 409."),
    checked_list: z
      .boolean()
      .default(false)
      .describe("Whether to download and use the list of `price_check.list`, in place of `list`."),
    vendor: pattern.nullable().default(null).describe("The vendor's name in the list; null: the name of the provider."),
    match: pattern.default("*").describe("Only ids that match this pattern; `*` matches any characters."),
    markup: z.string().max(20).default("1").describe("Factor to multiply prices by, such as `1.2`."),
    free: z.boolean().default(false).describe("Whether to include models priced at 0."),
    dearest: z
      .boolean()
      .default(false)
      .describe("Whether to include models with several token prices, at the highest."),
    ids: z
      .array(name)
      .max(MOST_MODELS)
      .nullable()
      .default(null)
      .describe("Only these models of the list, by their ids; null: all."),
    published: publication(z.boolean().default(false).describe("Whether to publish new models immediately.")),
    apply: mode,
  })
  .transform(
    ({
      provider,
      list,
      accept_old_list: acceptOld,
      checked_list: isChecked,
      vendor,
      ids,
      published,
      apply,
      ...choice
    }) => ({
      source: { text: list, acceptOld, isChecked },
      ids,
      choice: { ...choice, vendor: vendor ?? provider },
      order: { provider, publication: published, mode: apply },
    }),
  );

const listedField = z
  .object({
    id: z.string(),
    field: z.string().meta({ description: "Field of the list.", examples: ["input_cost_per_token"] }),
    problem: z.string(),
  })
  .meta({ id: "ListedField" });

export const skippedModels = z.codec(
  z
    .array(
      z.object({
        reason: z.enum(Object.keys(SKIP_REASONS) as SkipReason[]),
        models: z.int().describe("How many."),
        ids: z
          .array(z.string())
          .meta({ description: "All of them, by the names of the list.", examples: [["acme-embedding"]] }),
      }),
    )
    .describe("Models of the list that are left out, by reason, most first."),
  z.custom<readonly SkippedModel[]>(),
  {
    decode: (rows) => rows.flatMap(({ reason, ids }) => ids.map((id) => ({ id, reason }))),
    encode: (skipped) => skippedByReason(skipped).map(({ reason, ids }) => ({ reason, models: ids.length, ids })),
  },
);

export const shippedList = renamed(
  z.object({
    date: z.string().meta({ description: "Day that the list is of.", examples: ["2026-08-01"] }),
    age_days: z.int().meta({ description: "How many days ago that is.", examples: [12] }),
  }),
  { ageDays: "age_days" },
)
  .nullable()
  .describe("The list that ships with Tollgate; null: another list was used.");

export const priceListCompared = imported.extend({
  shipped_list: shippedList,
  skipped: skippedModels,
  left_out: z.array(listedField).describe("Fields that models are taken without, since they cannot be right."),
  refused: z.array(listedField).describe("Models with a number that cannot be right."),
});

/** Some two thousand models with price and route take about a megabyte; five thousand are let in. */
export const MOST_CATALOGUE_BYTES = 8 * 1_048_576;

/** Of so many the terms stand in the audit log too; of more, their price book tells them. */
const MOST_TERMS = 200;

function importedOf(models: readonly ImportedModel[]): object {
  const idsOf = (wanted: string): string[] => models.filter(({ change }) => change === wanted).map(({ id }) => id);
  const changed = models.filter(({ change }) => change === "new" || change === "changed");
  const names = { added: idsOf("new"), changed: idsOf("changed") };
  return changed.length > MOST_TERMS ? names : { ...names, terms: changed };
}

const OF_MANY = {
  method: "POST",
  maxBodyBytes: MOST_CATALOGUE_BYTES,
  isLong: true,
  refusals: ["invalid_request", "not_found", "conflict"],
} as const;
const THE_CATALOGUE = () => ({ kind: "catalogue", name: null }) as const;

/** What operators do with many providers and models at once, below `/admin/v1`. */
export const CATALOGUE: Operations<Pick<ManageCatalogue, "importModels" | "apply" | "showPriceCheck">> = {
  apply: {
    ...OF_MANY,
    id: "applyCatalogue",
    path: "/catalogue",
    summary: "Apply a catalogue of providers, models, prices and routes; entries it does not list are unchanged",
    payload: description,
    answer: catalogueChanges,
    audit: { action: "catalogue.apply", of: THE_CATALOGUE, after: (changes) => ({ changes }) },
  },
  showPriceCheck: {
    id: "showPriceCheck",
    method: "GET",
    path: "/price-check",
    summary: "Show what the last check of the price list found",
    description: "A check compares the prices in force with the list in `price_check.list`, and changes nothing.",
    answer: shownPriceCheck,
    audit: "read",
  },
  importModels: {
    ...OF_MANY,
    id: "importModels",
    path: "/models/import",
    summary: "Compare a price list with the catalogue, and with `apply` write the changes",
    payload: importRequest,
    answer: imported,
    audit: {
      action: "catalogue.import",
      of: THE_CATALOGUE,
      asked: ({ mode: _mode, ...order }) => ({ ...order, models: order.models.length }),
      after: ({ data }) => importedOf(data),
      changes: ({ mode: asked }) => asked === "apply",
    },
  },
};
