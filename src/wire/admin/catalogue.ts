import { z } from "zod";
import type { CatalogueChange } from "../../core/catalogue-change.ts";
import type { ImportedModel, ListedFacts } from "../../core/imported-model.ts";
import { type PriceList, SKIP_REASONS, type SkipReason } from "../../core/price-list.ts";
import type { Tariff } from "../../core/price.ts";
import { areDifferent, MOST_MODELS, tokenLimit } from "../catalogue/description.ts";
import { tariff, tariffView } from "../catalogue/price.ts";
import { format, name, upstreamModel } from "../catalogue/route.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { dateOf, instant } from "./instant.ts";
import { publicationOf } from "./models.ts";
import { tariffSchema } from "./prices.ts";

const priceChangedSchema = z
  .object({
    kind: z.literal("price"),
    name: z.string(),
    change: z.enum(["added", "changed", "withdrawn"]),
    version: z.int(),
    effective_from: instant,
    before: tariffSchema
      .nullable()
      .describe("The price that applied, or would have applied, from that date; null: none."),
    after: tariffSchema.nullable(),
  })
  .transform(({ effective_from: effectiveFromMs, ...change }) => ({ ...change, effectiveFromMs }));

/** What a change of the catalogue did. */
const changeSchema = z
  .union([
    priceChangedSchema,
    z.object({ kind: z.enum(["provider", "model", "route"]), name: z.string(), change: z.enum(["added", "changed"]) }),
  ])
  .meta({ id: "CatalogueChange" });

export const changesSchema = z.object({ changes: z.array(changeSchema) });

export const changesView = (changes: readonly CatalogueChange[]): WrittenAs<typeof changesSchema> => ({
  changes: changes.map(changeView),
});

export const changeView = (change: CatalogueChange): WrittenAs<typeof changeSchema> =>
  change.kind === "price"
    ? {
        kind: change.kind,
        name: change.name,
        change: change.change,
        version: change.version,
        effective_from: dateOf(change.effectiveFromMs),
        before: tariffOrNull(change.before),
        after: tariffOrNull(change.after),
      }
    : { kind: change.kind, name: change.name, change: change.change };

const tariffOrNull = (given: Tariff | null) => (given === null ? null : tariffView(given));

const listedModel = z
  .strictObject({
    id: name,
    upstream_model: upstreamModel,
    format,
    context_window: tokenLimit.nullable(),
    max_output_tokens: tokenLimit,
    reasoning: z.boolean().nullable().default(null).describe("Whether the model reasons; null: not known."),
    price: tariff,
  })
  .transform((row) => ({
    id: row.id,
    upstreamModel: row.upstream_model,
    dialect: row.format,
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    reasoning: row.reasoning,
    tariff: row.price,
  }));

/** A price list that somebody has read already; without `apply` it is only compared. */
export const importSchema = z
  .strictObject({
    provider: name,
    models: z
      .array(listedModel)
      .max(MOST_MODELS)
      .refine((rows) => areDifferent(rows.map(({ id }) => id)), "List should name every model once"),
    published: z.boolean().default(false),
    apply: z.boolean().default(false),
  })
  .transform(({ provider, models, published, apply }) => ({
    provider,
    models,
    publication: publicationOf(published),
    mode: apply ? ("apply" as const) : ("preview" as const),
  }));

export const importView = (order: ReadAs<typeof importSchema>): WrittenAs<typeof importSchema> => ({
  provider: order.provider,
  models: order.models.map((model) => ({
    id: model.id,
    upstream_model: model.upstreamModel,
    format: model.dialect,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    reasoning: model.reasoning,
    price: tariffView(model.tariff),
  })),
  published: order.publication === "published",
  apply: order.mode === "apply",
});

const factsSchema = z
  .object({
    context_window: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    reasoning: z.boolean().nullable(),
    price: tariffSchema.nullable(),
  })
  .transform((facts) => ({
    contextWindow: facts.context_window,
    maxOutputTokens: facts.max_output_tokens,
    reasoning: facts.reasoning,
    tariff: facts.price,
  }));

const importedModelSchema = z
  .object({
    id: z.string(),
    change: z
      .enum(["new", "changed", "unchanged", "foreign"])
      .describe("`foreign`: the id belongs to another provider's model, which is unchanged."),
    before: factsSchema.nullable(),
    after: factsSchema,
  })
  .meta({ id: "ImportedModel" });

export const importedSchema = z.object({ applied: z.boolean(), data: z.array(importedModelSchema) });

const pattern = z.string().min(1).max(200);

/** The text of a price list. A float would round its prices, so it is no JSON of this body. */
export const priceListSchema = z
  .strictObject({
    provider: name,
    list: z
      .string()
      .min(2)
      .meta({
        description: "Text of LiteLLM's `model_prices_and_context_window.json`.",
        examples: ['{"acme-large": {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 1e-06}}'],
      }),
    vendor: pattern.nullable().default(null).describe("The vendor's name in the list; null: the name of the provider."),
    match: pattern.default("*").describe("Only ids that match this pattern; `*` matches any characters."),
    markup: z.string().max(20).default("1").describe("Factor to multiply prices by, such as `1.2`."),
    free: z.boolean().default(false).describe("Whether to include models priced at 0."),
    dearest: z
      .boolean()
      .default(false)
      .describe("Whether to include models with several token prices, at the highest."),
    published: z.boolean().default(false).describe("Whether to publish new models immediately."),
    apply: z.boolean().default(false),
  })
  .transform(({ provider, list, vendor, published, apply, ...choice }) => ({
    provider,
    list,
    choice: { ...choice, vendor: vendor ?? provider },
    publication: publicationOf(published),
    mode: apply ? ("apply" as const) : ("preview" as const),
  }));

export const priceListComparedSchema = importedSchema.extend({
  skipped: z
    .array(
      z.object({ reason: z.enum(Object.keys(SKIP_REASONS) as SkipReason[]), models: z.int().describe("How many.") }),
    )
    .describe("How many models of the list are left out, and why."),
  refused: z
    .array(
      z.object({
        id: z.string(),
        field: z.string().meta({ description: "Field of the list.", examples: ["input_cost_per_token"] }),
        problem: z.string(),
      }),
    )
    .describe("Models with a number that cannot be right."),
});

export const leftOutView = ({
  skipped,
  refused,
}: Pick<PriceList, "skipped" | "refused">): Pick<WrittenAs<typeof priceListComparedSchema>, "skipped" | "refused"> => ({
  skipped: (Object.entries(skipped) as [SkipReason, number][]).map(([reason, models]) => ({ reason, models })),
  refused,
});

export const importedModelView = ({
  id,
  change,
  before,
  after,
}: ImportedModel): WrittenAs<typeof importedModelSchema> => ({
  id,
  change,
  before: before === null ? null : factsView(before),
  after: factsView(after),
});

const factsView = ({
  contextWindow,
  maxOutputTokens,
  reasoning,
  tariff: price,
}: ListedFacts): WrittenAs<typeof factsSchema> => ({
  context_window: contextWindow,
  max_output_tokens: maxOutputTokens,
  reasoning,
  price: tariffOrNull(price),
});
