import { z } from "zod";
import { PROVIDER_DIALECTS } from "../../core/dialect.ts";
import { MOST_MODELS, text, tokenLimit } from "../catalogue/description.ts";
import { modelOf, modelView } from "../catalogue/model.ts";
import { tariff, tariffView } from "../catalogue/price.ts";
import { format, MOST_INT, name, routeOf, routeView, upstreamModel } from "../catalogue/route.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { dateOf, instant } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";
import { priceSchema, priceView } from "./prices.ts";

const route = z
  .strictObject({
    provider: name,
    upstream_model: upstreamModel,
    format,
    conformant: z.boolean().exactOptional(),
    priority: z.int().min(0).max(MOST_INT).exactOptional(),
    weight: z.int().min(0).max(MOST_INT).exactOptional(),
  })
  .transform(({ upstream_model, format: dialect, ...order }) => ({ ...order, dialect, upstreamModel: upstream_model }));

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

export const modelRequestView = ({
  route: { upstreamModel: upstream_model, dialect, ...route },
  ...order
}: ReadAs<typeof modelRequestSchema>): WrittenAs<typeof modelRequestSchema> => ({
  id: order.id,
  display_name: order.displayName,
  context_window: order.contextWindow,
  max_output_tokens: order.maxOutputTokens,
  ...(order.reasoning === undefined ? {} : { reasoning: order.reasoning }),
  price: order.tariff === null ? null : tariffView(order.tariff),
  route: { ...route, upstream_model, format: dialect },
  published: order.publication === "published",
});

export const publicationOf = (published: boolean) => (published ? ("published" as const) : ("unpublished" as const));

export const publicationSchema = z.strictObject({ models: z.array(name).min(1).max(MOST_MODELS) });

export const routeRemovalSchema = z.strictObject({ last: z.enum(["keep", "remove"]).default("keep") });

export const modelPageSchema = pageQuery(100);

/** `model` in a path. */
export const ofModel = z.object({ model: z.string().describe("Id of the model, with slashes escaped as `%2F`.") });
export const ofRoute = z.object({
  ...ofModel.shape,
  route: z.string().describe("Id of the route, or an unambiguous beginning of its id or of `provider/upstream model`."),
});

const modelRouteSchema = z
  .object({
    id: z.string(),
    provider: z.string(),
    upstream_model: z.string(),
    format: z.enum(PROVIDER_DIALECTS),
    conformant: z.boolean(),
    priority: z.int(),
    weight: z.int(),
    connect_timeout_ms: z.int(),
    first_byte_timeout_ms: z.int(),
    idle_timeout_ms: z.int(),
    concurrency_limit: z.int().nullable(),
  })
  .transform((row) => ({ id: row.id, ...routeOf(row) }));

/** In the words of the catalogue file, with what only operators see of it. */
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
    created_at: instant,
    published: z.boolean(),
    obstacles: z.array(z.string()).describe("Why clients cannot use it; empty: they can."),
    price: priceSchema.nullable(),
    upcoming_prices: z.array(priceSchema),
    routes: z.array(modelRouteSchema),
  })
  .meta({ id: "Model" })
  .transform((row) => ({
    ...modelOf(row),
    createdAtMs: row.created_at,
    published: row.published,
    obstacles: row.obstacles,
    price: row.price,
    upcomingPrices: row.upcoming_prices,
    routes: row.routes,
  }));

export const modelDetailsView = (model: ReadAs<typeof modelSchema>): WrittenAs<typeof modelSchema> => ({
  ...modelView(model),
  created_at: dateOf(model.createdAtMs),
  published: model.published,
  obstacles: model.obstacles,
  price: model.price === null ? null : priceView(model.price),
  upcoming_prices: model.upcomingPrices.map(priceView),
  routes: model.routes.map((route) => ({ id: route.id, ...routeView(route) })),
});

export const modelListSchema = pageSchema(modelSchema);
export const publishedSchema = z.object({
  data: z.array(z.object({ id: z.string(), changed: z.boolean(), warnings: z.array(z.string()) })),
});

export const routeRemovedSchema = z
  .object({ id: z.string(), name: z.string(), routes_left: z.int() })
  .transform(({ routes_left: routesLeft, ...route }) => ({ ...route, routesLeft }));

export const routeRemovedView = ({
  routesLeft: routes_left,
  ...route
}: ReadAs<typeof routeRemovedSchema>): WrittenAs<typeof routeRemovedSchema> => ({ ...route, routes_left });
