import { z } from "zod";
import { areDifferent, dialect, MOST_INT, MOST_MODELS, name, text, tokenLimit, upstreamModel } from "./models.ts";
import { describedPriceSchema } from "./prices.ts";
import { baseUrl, credentialReference } from "./providers.ts";
import { isStorable } from "./storable.ts";

const MOST_PRICES = 100;
const MOST_ROUTES = 100;
const MOST_CAPABILITIES = 100;
const DEEPEST = 10;

const milliseconds = (fallback: number) => z.int().min(1).max(3_600_000).default(fallback);

const route = z
  .strictObject({
    provider: name,
    upstream_model: upstreamModel,
    dialect,
    conformant: z.boolean().default(false),
    priority: z.int().min(0).max(MOST_INT).default(0),
    weight: z.int().min(0).max(MOST_INT).default(1),
    connect_timeout_ms: milliseconds(5_000),
    first_byte_timeout_ms: milliseconds(60_000),
    idle_timeout_ms: milliseconds(60_000),
    concurrency_limit: z.int().min(1).max(1_000_000).nullable().default(null),
  })
  .transform((row) => ({
    provider: row.provider,
    upstreamModel: row.upstream_model,
    dialect: row.dialect,
    conformant: row.conformant,
    priority: row.priority,
    weight: row.weight,
    connectTimeoutMs: row.connect_timeout_ms,
    firstByteTimeoutMs: row.first_byte_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
    concurrencyLimit: row.concurrency_limit,
  }));

const capabilities = z
  .record(name, z.unknown())
  .refine(
    (row) => Object.keys(row).length <= MOST_CAPABILITIES && isStorableJson(row),
    `Input should have at most ${MOST_CAPABILITIES} members, not deeper than ${DEEPEST}, of whole characters without NUL`,
  );

const upcomingPrice = describedPriceSchema.refine(({ effectiveFromMs }) => effectiveFromMs !== null, {
  path: ["effective_from"],
  error: "Field required: a price to come has a date",
});

const model = z
  .strictObject({
    id: name,
    owned_by: name.nullable().default(null),
    provider: name,
    display_name: text.nullable().default(null),
    tagline: text.nullable().default(null),
    context_window: tokenLimit.nullable().default(null),
    max_output_tokens: tokenLimit.nullable().default(null),
    output_ceiling: tokenLimit.nullable().default(null),
    output_floor: tokenLimit.default(1_024),
    token_factor: z.number().positive().max(100).default(1),
    capabilities: capabilities.default({}),
    price: describedPriceSchema.nullable().default(null),
    upcoming_prices: z.array(upcomingPrice).max(MOST_PRICES).default([]),
    routes: z
      .array(route)
      .min(1)
      .max(MOST_ROUTES)
      .refine(
        (rows) => areDifferent(rows.map((row) => JSON.stringify([row.provider, row.upstreamModel, row.dialect]))),
        "List should name every route once",
      ),
  })
  .refine((row) => haveDifferentDates([row.price, ...row.upcoming_prices]), {
    path: ["upcoming_prices"],
    error: "List should have one price for a date",
  })
  .refine((row) => row.max_output_tokens === null || row.output_ceiling === null, {
    path: ["output_ceiling"],
    error: "Input should be null where there is max_output_tokens; a published limit is the limit",
  })
  .transform((row) => ({
    id: row.id,
    ownedBy: row.owned_by ?? row.provider,
    provider: row.provider,
    displayName: row.display_name,
    tagline: row.tagline,
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    outputCeiling: row.output_ceiling,
    outputFloor: row.output_floor,
    tokenFactor: row.token_factor,
    capabilities: row.capabilities,
    price: row.price,
    upcomingPrices: row.upcoming_prices,
    routes: row.routes,
  }));

const provider = z
  .strictObject({ name, base_url: baseUrl, credential: credentialReference })
  .transform((row) => ({ name: row.name, baseUrl: row.base_url, credentialRef: row.credential }));

/** A whole catalogue, or as much of one as is to change, in the words of the catalogue file. */
export const descriptionSchema = z.strictObject({
  providers: z
    .array(provider)
    .max(1_000)
    .refine((rows) => areDifferent(rows.map((row) => row.name)), "List should name every provider once")
    .default([]),
  models: z
    .array(model)
    .max(MOST_MODELS)
    .refine((rows) => areDifferent(rows.map(({ id }) => id)), "List should name every model once")
    .default([]),
});

function haveDifferentDates(prices: readonly ({ effectiveFromMs: number | null } | null)[]): boolean {
  const dates = prices.flatMap((price) => (price?.effectiveFromMs == null ? [] : [String(price.effectiveFromMs)]));
  return areDifferent(dates);
}

/** What a column of JSON takes, and no deeper than anybody reads. */
function isStorableJson(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return isStorable(value);
  if (typeof value !== "object" || value === null) return true;
  return (
    depth < DEEPEST &&
    Object.entries(value).every(([key, member]) => isStorable(key) && isStorableJson(member, depth + 1))
  );
}
