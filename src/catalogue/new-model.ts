import type { Tariff } from "../core/price.ts";
import type { DescribedModel } from "./model.ts";

const OUTPUT_FLOOR = 1_024;

type Order = {
  id: string;
  displayName: string | null;
  contextWindow: number | null;
  maxOutputTokens: number;
  tariff: Tariff;
  route: DescribedModel["routes"][number];
};

/** A model as described by no more than it needs; the rest is as the catalogue file has it where it says nothing. */
export const newModel = ({ tariff, route, ...given }: Order): DescribedModel => ({
  ...given,
  ownedBy: route.provider,
  provider: route.provider,
  tagline: null,
  outputCeiling: null,
  outputFloor: OUTPUT_FLOOR,
  tokenFactor: 1,
  capabilities: {},
  price: { ...tariff, effectiveFromMs: null },
  upcomingPrices: [],
  routes: [route],
});
