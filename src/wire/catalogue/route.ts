import { z } from "zod";
import { type ProviderDialect, PROVIDER_DIALECTS } from "../../core/dialect.ts";
import { isObject } from "../../core/is-object.ts";
import type { RouteTerms } from "../../core/route-terms.ts";
import { storable } from "../storable.ts";

/** As many as a column holds. */
export const MOST_INT = 2_147_483_647;

export const name = storable(200).min(1);
export const upstreamModel = storable(500).min(1);
export const format = z.enum(PROVIDER_DIALECTS);

const milliseconds = (fallback: number) => z.int().min(1).max(3_600_000).default(fallback);

/** How a model is reached at a provider, in the words of the catalogue file. */
export type RouteView = {
  provider: string;
  upstream_model: string;
  format: ProviderDialect;
  conformant: boolean;
  priority: number;
  weight: number;
  connect_timeout_ms: number;
  first_byte_timeout_ms: number;
  idle_timeout_ms: number;
  concurrency_limit: number | null;
};

export const routeView = (route: RouteTerms): RouteView => ({
  provider: route.provider,
  upstream_model: route.upstreamModel,
  format: route.dialect,
  conformant: route.conformant,
  priority: route.priority,
  weight: route.weight,
  connect_timeout_ms: route.connectTimeoutMs,
  first_byte_timeout_ms: route.firstByteTimeoutMs,
  idle_timeout_ms: route.idleTimeoutMs,
  concurrency_limit: route.concurrencyLimit,
});

export const routeOf = (view: RouteView): RouteTerms => ({
  provider: view.provider,
  upstreamModel: view.upstream_model,
  dialect: view.format,
  conformant: view.conformant,
  priority: view.priority,
  weight: view.weight,
  connectTimeoutMs: view.connect_timeout_ms,
  firstByteTimeoutMs: view.first_byte_timeout_ms,
  idleTimeoutMs: view.idle_timeout_ms,
  concurrencyLimit: view.concurrency_limit,
});

/** Catalogue files written for earlier trees call it `dialect`. */
function renamed(route: unknown): unknown {
  if (!isObject(route) || !("dialect" in route) || "format" in route) return route;
  const { dialect, ...rest } = route;
  return { ...rest, format: dialect };
}

const routeFields = z
  .strictObject({
    provider: name,
    upstream_model: upstreamModel,
    format,
    conformant: z.boolean().default(false),
    priority: z.int().min(0).max(MOST_INT).default(0),
    weight: z.int().min(0).max(MOST_INT).default(1),
    connect_timeout_ms: milliseconds(5_000),
    first_byte_timeout_ms: milliseconds(60_000),
    idle_timeout_ms: milliseconds(60_000),
    concurrency_limit: z.int().min(1).max(1_000_000).nullable().default(null),
  })
  .transform(routeOf);

export const describedRoute = z.preprocess(renamed, routeFields);
