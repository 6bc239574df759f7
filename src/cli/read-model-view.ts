import { modelOf, type ModelView } from "../wire/catalogue/model.ts";
import { routeOf, type RouteView } from "../wire/catalogue/route.ts";
import { tariffOf, type TariffView } from "../core/tariff-view.ts";
import type { Catalogue, ListedModel } from "./operator-control.ts";

type BookedPrice = NonNullable<Awaited<ReturnType<Catalogue["prices"]>>>[number];

type PriceView = TariffView & { version: number; effective_from: string };

export type ListedModelView = ModelView & {
  created_at: string;
  published: boolean;
  obstacles: string[];
  price: PriceView | null;
  upcoming_prices: PriceView[];
  routes: (RouteView & { id: string })[];
};

export const listedModelOf = (view: ListedModelView): ListedModel => ({
  ...modelOf(view),
  createdAtMs: Date.parse(view.created_at),
  published: view.published,
  obstacles: view.obstacles,
  price: view.price === null ? null : priceOf(view.price),
  upcomingPrices: view.upcoming_prices.map(priceOf),
  routes: view.routes.map((route) => ({ id: route.id, ...routeOf(route) })),
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
