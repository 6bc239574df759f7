import type { ProviderDialect } from "../core/dialect.ts";
import { tariffOf, type TariffView } from "../core/tariff-view.ts";
import type { Catalogue, ListedModel } from "./operator-control.ts";

type BookedPrice = NonNullable<Awaited<ReturnType<Catalogue["prices"]>>>[number];
type Route = ListedModel["routes"][number];

type PriceView = TariffView & { version: number; effective_from: string };

export type ModelView = {
  id: string;
  created_at: string;
  owned_by: string;
  provider: string;
  display_name: string | null;
  tagline: string | null;
  published: boolean;
  obstacles: string[];
  context_window: number | null;
  max_output_tokens: number | null;
  output_ceiling: number | null;
  output_floor: number;
  token_factor: number;
  capabilities: Record<string, unknown>;
  price: PriceView | null;
  upcoming_prices: PriceView[];
  routes: RouteView[];
};

type RouteView = {
  id: string;
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

export const modelOf = (view: ModelView): ListedModel => ({
  id: view.id,
  createdAtMs: Date.parse(view.created_at),
  ownedBy: view.owned_by,
  provider: view.provider,
  displayName: view.display_name,
  tagline: view.tagline,
  published: view.published,
  obstacles: view.obstacles,
  contextWindow: view.context_window,
  maxOutputTokens: view.max_output_tokens,
  outputCeiling: view.output_ceiling,
  outputFloor: view.output_floor,
  tokenFactor: view.token_factor,
  capabilities: view.capabilities,
  price: view.price === null ? null : priceOf(view.price),
  upcomingPrices: view.upcoming_prices.map(priceOf),
  routes: view.routes.map(routeOf),
});

const routeOf = (view: RouteView): Route => ({
  id: view.id,
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

const priceOf = (view: PriceView) => ({
  ...tariffOf(view),
  version: view.version,
  effectiveFromMs: Date.parse(view.effective_from),
});

export type BookedPriceView = PriceView & { withdrawn_at: string | null; suspended_for: string | null };

export const bookedPriceOf = (view: BookedPriceView): BookedPrice => ({
  ...priceOf(view),
  withdrawnAtMs: view.withdrawn_at === null ? null : Date.parse(view.withdrawn_at),
  suspendedFor: view.suspended_for,
});
