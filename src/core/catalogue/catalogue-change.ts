import type { Tariff } from "../money/price.ts";

/** What a change of the catalogue did. */
export type CatalogueChange = PartChange | PriceChange;

export type PartChange = { kind: "provider" | "model" | "route"; name: string; change: "added" | "changed" };

/** Of a price or of a cost. `before` is the one that held, or would have held, at that date; null when there was none. */
export type PriceChange = {
  kind: "price" | "cost";
  name: string;
  change: "added" | "changed" | "withdrawn";
  version: number;
  effectiveFromMs: number;
  before: Tariff | null;
  after: Tariff | null;
};
