import type { BookedPrice, ImportedModel, ListedFacts, ModelOverview, Price, Route } from "../../catalogue/model.ts";
import { tariffView } from "../../core/tariff-view.ts";

/** A model in the words of the catalogue file, with what only operators see of it. */
export const modelView = (model: ModelOverview) => ({
  id: model.id,
  created_at: dateText(model.createdAtMs),
  owned_by: model.ownedBy,
  provider: model.provider,
  display_name: model.displayName,
  tagline: model.tagline,
  published: model.published,
  obstacles: model.obstacles,
  context_window: model.contextWindow,
  max_output_tokens: model.maxOutputTokens,
  output_ceiling: model.outputCeiling,
  output_floor: model.outputFloor,
  token_factor: model.tokenFactor,
  capabilities: model.capabilities,
  price: model.price === null ? null : priceView(model.price),
  upcoming_prices: model.upcomingPrices.map(priceView),
  routes: model.routes.map(routeView),
});

/** Neither address nor credential: these are the provider's. */
export const routeView = (route: Route) => ({
  id: route.id,
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

export const bookedPriceView = (price: BookedPrice) => ({
  ...priceView(price),
  withdrawn_at: price.withdrawnAtMs === null ? null : dateText(price.withdrawnAtMs),
  suspended_for: price.suspendedFor,
});

export const importedModelView = ({ id, change, before, after }: ImportedModel) => ({
  id,
  change,
  before: before === null ? null : factsView(before),
  after: factsView(after),
});

const priceView = (price: Price) => ({
  version: price.version,
  effective_from: dateText(price.effectiveFromMs),
  ...tariffView(price),
});

const factsView = ({ contextWindow, maxOutputTokens, tariff }: ListedFacts) => ({
  context_window: contextWindow,
  max_output_tokens: maxOutputTokens,
  price: tariff === null ? null : tariffView(tariff),
});

const dateText = (ms: number): string => new Date(ms).toISOString();
