import type { Costs } from "../../core/bills/name-map.ts";
import { sameTariff, type Tariff } from "../../core/money/price.ts";

/** What a provider charges the operator for a model of its own. */
export type RouteCost = { provider: string; upstreamModel: string };

/** A version of a cost. `cost` is in dollars; null: none is known from then on. */
export type BookedCost = RouteCost & {
  /** Of this route, in the order in which they were given. */
  version: number;
  effectiveFromMs: number;
  givenAtMs: number;
  cost: Tariff | null;
};

/** `effectiveFromMs`: null: at once. A date that has passed covers what was charged since. */
export type CostOrder = RouteCost & { cost: Tariff | null; effectiveFromMs: number | null };

const isOf = (one: RouteCost, other: RouteCost): boolean =>
  one.provider === other.provider && one.upstreamModel === other.upstreamModel;

/** In force: the latest begun, and of those begun together the newest. Null when none has begun. */
export function costAt(book: readonly BookedCost[], route: RouteCost, atMs: number): BookedCost | null {
  return book.reduce<BookedCost | null>(
    (found, row) =>
      isOf(row, route) && row.effectiveFromMs <= atMs && (found === null || isLater(row, found)) ? row : found,
    null,
  );
}

const isLater = (row: BookedCost, than: BookedCost): boolean =>
  row.effectiveFromMs === than.effectiveFromMs
    ? row.version > than.version
    : row.effectiveFromMs > than.effectiveFromMs;

/** All that is in force at a moment. */
export function costsAt(book: readonly BookedCost[], atMs: number): Costs {
  const costs = new Map<string, Map<string, Tariff>>();
  for (const { provider, upstreamModel } of book) {
    const cost = costAt(book, { provider, upstreamModel }, atMs)?.cost ?? null;
    if (cost === null) continue;
    const own = costs.get(provider) ?? new Map<string, Tariff>();
    costs.set(provider, own.set(upstreamModel, cost));
  }
  return costs;
}

/** Whether the book says already what is ordered. */
export function isInBook(book: readonly BookedCost[], order: CostOrder, fromMs: number): boolean {
  const known = costAt(book, order, fromMs)?.cost ?? null;
  return known === null || order.cost === null ? known === order.cost : sameTariff(known, order.cost);
}
