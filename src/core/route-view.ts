import type { ProviderDialect } from "./dialect.ts";

/** How a model is reached at a provider. */
export type RouteTerms = {
  provider: string;
  upstreamModel: string;
  dialect: ProviderDialect;
  /** The provider keeps the stream rules itself, so its bytes are not touched. */
  conformant: boolean;
  priority: number;
  weight: number;
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  /** Calls in progress at once in each gateway process; null: as many as come. */
  concurrencyLimit: number | null;
};

/** The same in the words of the catalogue file. */
export type RouteView = {
  provider: string;
  upstream_model: string;
  dialect: ProviderDialect;
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
  dialect: route.dialect,
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
  dialect: view.dialect,
  conformant: view.conformant,
  priority: view.priority,
  weight: view.weight,
  connectTimeoutMs: view.connect_timeout_ms,
  firstByteTimeoutMs: view.first_byte_timeout_ms,
  idleTimeoutMs: view.idle_timeout_ms,
  concurrencyLimit: view.concurrency_limit,
});
