import type { Control } from "../app.ts";
import { tariffView } from "../core/tariff-view.ts";

type Description = Parameters<Control["catalogue"]["apply"]>[0];
type DescribedModel = Description["models"][number];
type DescribedPrice = NonNullable<DescribedModel["price"]>;

/** A catalogue that was read from a file, in the words of the file again: as the admin API takes it. */
export const descriptionView = ({ providers, models }: Description): object => ({
  providers: providers.map(({ name, baseUrl, credentialRef }) => ({
    name,
    base_url: baseUrl,
    credential: credentialRef,
  })),
  models: models.map(modelView),
});

const modelView = (model: DescribedModel): object => ({
  id: model.id,
  owned_by: model.ownedBy,
  provider: model.provider,
  display_name: model.displayName,
  tagline: model.tagline,
  context_window: model.contextWindow,
  max_output_tokens: model.maxOutputTokens,
  output_ceiling: model.outputCeiling,
  output_floor: model.outputFloor,
  token_factor: model.tokenFactor,
  capabilities: model.capabilities,
  price: model.price === null ? null : priceView(model.price),
  upcoming_prices: model.upcomingPrices.map(priceView),
  routes: model.routes.map((route) => ({
    provider: route.provider,
    upstream_model: route.upstreamModel,
    dialect: route.dialect,
    conformant: route.conformant,
    priority: route.priority,
    weight: route.weight,
    connect_timeout_ms: route.connectTimeoutMs,
    first_byte_timeout_ms: route.firstByteTimeoutMs,
    idle_timeout_ms: route.idleTimeoutMs,
    concurrency_limit: route.concurrencyLimit ?? null,
  })),
});

const priceView = (price: DescribedPrice): object => ({
  effective_from: price.effectiveFromMs === null ? null : new Date(price.effectiveFromMs).toISOString(),
  ...tariffView(price),
});
