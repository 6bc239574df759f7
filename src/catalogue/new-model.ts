import type { Tariff } from "../core/money/price.ts";
import type { Route } from "../core/catalogue/route.ts";
import type { DescribedModel, DescribedRoute, RouteOrder } from "./model.ts";

const OUTPUT_FLOOR = 1_024;

type Order = {
  id: string;
  displayName: string | null;
  contextWindow: number | null;
  maxOutputTokens: number | null;
  reasoning?: boolean | undefined;
  tariff: Tariff;
  route: RouteOrder;
};

/** A model as described by no more than it needs; the rest is as the catalogue file has it where it says nothing. */
export const newModel = ({ tariff, route, reasoning, ...given }: Order): DescribedModel => ({
  ...given,
  ownedBy: route.provider,
  provider: route.provider,
  tagline: null,
  outputCeiling: null,
  outputFloor: OUTPUT_FLOOR,
  tokenFactor: 1,
  capabilities: reasoning === undefined ? {} : { reasoning },
  price: { ...tariff, effectiveFromMs: null },
  upcomingPrices: [],
  routes: [routeAs(route, null)],
});

const USUAL_ROUTE = {
  conformant: false,
  priority: 0,
  weight: 1,
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  concurrencyLimit: null,
  region: null,
} as const;

/** A route as ordered, on top of the one that is there. */
export function routeAs(order: RouteOrder, present: Route | null): DescribedRoute {
  const {
    connectTimeoutMs,
    firstByteTimeoutMs,
    idleTimeoutMs,
    conformant,
    priority,
    weight,
    concurrencyLimit,
    region,
  } = present ?? USUAL_ROUTE;
  const { provider, upstreamModel, dialect } = order;
  return {
    provider,
    upstreamModel,
    dialect,
    conformant: order.conformant ?? conformant,
    priority: order.priority ?? priority,
    weight: order.weight ?? weight,
    connectTimeoutMs,
    firstByteTimeoutMs,
    idleTimeoutMs,
    concurrencyLimit,
    region: order.region === undefined ? (region ?? null) : order.region,
  };
}
