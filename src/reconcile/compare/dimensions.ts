import type { JournalCell } from "../journal/journal-cell.ts";
import type { BillCell } from "../tally-bills.ts";

export const DIMENSIONS = ["credential", "model", "tier", "region"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** What both sides tell apart; the rest is summed. */
export type BillGrain = ReadonlySet<Dimension>;
/** Null: of all. */
export type BillPlace = Readonly<Record<Dimension, string | null>>;
type Placed = BillPlace | BillCell | JournalCell;

export const grainOf = (cells: readonly Placed[]): BillGrain =>
  new Set(DIMENSIONS.filter((name) => cells.every((cell) => cell[name] !== null)));

export const commonGrain = (one: BillGrain, other: BillGrain): BillGrain =>
  new Set([...one].filter((name) => other.has(name)));

export const placeAt = (cell: Placed, grain: BillGrain): BillPlace => ({
  credential: grain.has("credential") ? cell.credential : null,
  model: grain.has("model") ? cell.model : null,
  tier: grain.has("tier") ? cell.tier : null,
  region: grain.has("region") ? cell.region : null,
});

export const keyOf = (place: BillPlace): string => JSON.stringify(DIMENSIONS.map((name) => place[name]));
