import type { BookedPrice, ModelOverview, Price } from "../../catalogue/model.ts";
import { modelView } from "../../wire/catalogue/model.ts";
import { routeView } from "../../wire/catalogue/route.ts";
import { tariffView } from "../../core/tariff-view.ts";

/** A model in the words of the catalogue file, with what only operators see of it. */
export const modelOverview = (model: ModelOverview) => ({
  ...modelView(model),
  created_at: dateText(model.createdAtMs),
  published: model.published,
  obstacles: model.obstacles,
  price: model.price === null ? null : priceView(model.price),
  upcoming_prices: model.upcomingPrices.map(priceView),
  // Neither address nor credential: these are the provider's.
  routes: model.routes.map((route) => ({ id: route.id, ...routeView(route) })),
});

export const bookedPriceView = (price: BookedPrice) => ({
  ...priceView(price),
  withdrawn_at: price.withdrawnAtMs === null ? null : dateText(price.withdrawnAtMs),
  suspended_for: price.suspendedFor,
});

const priceView = (price: Price) => ({
  version: price.version,
  effective_from: dateText(price.effectiveFromMs),
  ...tariffView(price),
});

const dateText = (ms: number): string => new Date(ms).toISOString();
