import { z } from "zod";
import { areDifferent, MOST_MODELS, text, tokenLimit } from "../catalogue/description.ts";
import { tariff } from "../catalogue/price.ts";
import { dialect, MOST_INT, name, upstreamModel } from "../catalogue/route.ts";
import { storable } from "../storable.ts";
import { pageSchema } from "./page.ts";
import { priceSchema } from "./prices.ts";

const route = z
  .strictObject({
    provider: name,
    upstream_model: upstreamModel,
    dialect,
    conformant: z.boolean().exactOptional(),
    priority: z.int().min(0).max(MOST_INT).exactOptional(),
    weight: z.int().min(0).max(MOST_INT).exactOptional(),
  })
  .transform(({ upstream_model, ...order }) => ({ ...order, upstreamModel: upstream_model }));

/** A new model with its first route, or another route to one that is there, of which the rest need not be said. */
export const modelRequestSchema = z
  .strictObject({
    id: z.string().regex(/^[\x21-\x7e]{1,200}$/, "Input should be 1 to 200 printable ASCII characters without spaces"),
    display_name: text.nullable().default(null),
    context_window: tokenLimit.nullable().default(null),
    max_output_tokens: tokenLimit.nullable().default(null),
    reasoning: z.boolean().exactOptional(),
    price: tariff.nullable().default(null),
    route,
    published: z.boolean().default(true),
  })
  .transform((row) => ({
    id: row.id,
    displayName: row.display_name,
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    ...(row.reasoning === undefined ? {} : { reasoning: row.reasoning }),
    tariff: row.price,
    route: row.route,
    publication: publicationOf(row.published),
  }));

export const publicationSchema = z.strictObject({ models: z.array(name).min(1).max(MOST_MODELS) });

export const routeRemovalSchema = z.strictObject({ last: z.enum(["keep", "remove"]).default("keep") });

const listedModel = z
  .strictObject({
    id: name,
    upstream_model: upstreamModel,
    dialect,
    context_window: tokenLimit.nullable(),
    max_output_tokens: tokenLimit,
    price: tariff,
  })
  .transform((row) => ({
    id: row.id,
    upstreamModel: row.upstream_model,
    dialect: row.dialect,
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
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
    order: { provider, models, publication: publicationOf(published) },
    mode: apply ? ("apply" as const) : ("preview" as const),
  }));

export const modelPageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: storable(200).optional(),
});

const publicationOf = (published: boolean) => (published ? ("published" as const) : ("unpublished" as const));

/** `model` in a path. */
export const ofModel = z.object({ model: z.string().describe("The id of a model, its slashes escaped.") });
export const ofRoute = z.object({
  ...ofModel.shape,
  route: z.string().describe("The id of a route, or as much of it or of `provider/upstream model` as names one."),
});

export const modelSchema = z
  .object({
    id: z.string(),
    owned_by: z.string(),
    provider: z.string(),
    display_name: z.string().nullable(),
    tagline: z.string().nullable(),
    context_window: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    output_ceiling: z.int().nullable(),
    output_floor: z.int(),
    token_factor: z.number(),
    capabilities: z.record(z.string(), z.unknown()),
    created_at: z.iso.datetime(),
    published: z.boolean(),
    obstacles: z.array(z.string()).describe("Why callers cannot use it; empty when all can."),
    price: priceSchema.nullable(),
    upcoming_prices: z.array(priceSchema),
    routes: z.array(
      z.object({
        id: z.string(),
        provider: z.string(),
        upstream_model: z.string(),
        dialect: z.string(),
        conformant: z.boolean(),
        priority: z.int(),
        weight: z.int(),
        connect_timeout_ms: z.int(),
        first_byte_timeout_ms: z.int(),
        idle_timeout_ms: z.int(),
        concurrency_limit: z.int().nullable(),
      }),
    ),
  })
  .meta({ id: "Model" });

export const modelListSchema = pageSchema(modelSchema);
export const publishedSchema = z.object({ data: z.array(z.object({ id: z.string(), changed: z.boolean() })) });
export const routeRemovedSchema = z.object({ id: z.string(), name: z.string(), routes_left: z.int() });
