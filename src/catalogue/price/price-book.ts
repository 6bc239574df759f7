import type { PriceChange } from "../../core/catalogue/catalogue-change.ts";
import { sameTariff } from "../../core/money/price.ts";
import type { BookedPrice, DescribedPrice, Price } from "../model.ts";

/** The price in force: the latest begun, and of those begun together the newest. Null when none has begun. */
export function priceAt<Dated extends Pick<Price, "effectiveFromMs" | "version">>(
  prices: readonly Dated[],
  atMs: number,
): Dated | null {
  return prices.reduce<Dated | null>(
    (found, price) => (price.effectiveFromMs <= atMs && !isOlder(price, found) ? price : found),
    null,
  );
}

type Moment = Pick<Price, "effectiveFromMs" | "version">;

function isOlder(price: Moment, than: Moment | null): boolean {
  if (than === null) return false;
  const apartMs = price.effectiveFromMs - than.effectiveFromMs;
  return apartMs === 0 ? price.version < than.version : apartMs < 0;
}

/** The prices of a book that were not taken back. */
export const livingIn = (book: readonly BookedPrice[]): BookedPrice[] =>
  book.filter(({ withdrawnAtMs }) => withdrawnAtMs === null);

/** Those of them that are still to come, as a description names them. */
export const upcomingIn = (book: readonly BookedPrice[], nowMs: number): DescribedPrice[] =>
  livingIn(book).filter(({ effectiveFromMs }) => effectiveFromMs > nowMs);

export type PricePlan = { withdraw: readonly Price[]; add: readonly Price[]; changes: readonly PriceChange[] };

/**
 * What makes a model's price book say what was described. Versions are only added: a described price that already holds, or is
 * already to come at that date, adds none. Prices to come that are no longer described are withdrawn.
 */
export function planPrices(
  modelId: string,
  { book, described, nowMs }: { book: readonly BookedPrice[]; described: readonly DescribedPrice[]; nowMs: number },
): PricePlan {
  const begun = lastBegun(described, nowMs);
  const upcoming = described.flatMap(({ effectiveFromMs, ...tariff }) =>
    effectiveFromMs !== null && effectiveFromMs > nowMs ? [{ effectiveFromMs, tariff }] : [],
  );
  const living = livingIn(book);
  const isDescribed = (price: Price): boolean =>
    upcoming.some(
      ({ effectiveFromMs, tariff }) => effectiveFromMs === price.effectiveFromMs && sameTariff(tariff, price),
    );
  const withdraw = living.filter((price) => price.effectiveFromMs > nowMs && !isDescribed(price));
  const kept = living.filter((price) => !withdraw.includes(price));

  const holds = priceAt(kept, nowMs);
  const fresh = upcoming.filter(({ effectiveFromMs, tariff }) =>
    kept.every((price) => price.effectiveFromMs !== effectiveFromMs || !sameTariff(tariff, price)),
  );
  if (begun !== null && (holds === null || !sameTariff(begun, holds))) {
    const { effectiveFromMs, ...tariff } = begun;
    // The first price holds since ever, so that a gateway whose clock is behind does not find a model without one.
    fresh.unshift({ tariff, effectiveFromMs: book.length === 0 ? (effectiveFromMs ?? 0) : nowMs });
  }
  const newest = book.reduce((highest, { version }) => Math.max(highest, version), 0);
  const add = fresh.map(({ effectiveFromMs, tariff }, index) => ({
    ...tariff,
    effectiveFromMs,
    version: newest + 1 + index,
  }));
  return { withdraw, add, changes: changesOf(modelId, { withdraw, add, schedule: [...kept, ...add] }) };
}

/** Of several prices whose dates have passed only the latest says something; one without a date is older than any date. */
function lastBegun(described: readonly DescribedPrice[], nowMs: number): DescribedPrice | null {
  const begun = described.filter(({ effectiveFromMs }) => effectiveFromMs === null || effectiveFromMs <= nowMs);
  return (
    begun.toSorted((one, other) => (other.effectiveFromMs ?? -Infinity) - (one.effectiveFromMs ?? -Infinity))[0] ?? null
  );
}

type Outcome = Omit<PricePlan, "changes"> & { schedule: readonly Price[] };

function changesOf(name: string, { withdraw, add, schedule }: Outcome): PriceChange[] {
  const withdrawn = withdraw.map((price): PriceChange => {
    const { version, effectiveFromMs } = price;
    const after = priceAt(schedule, effectiveFromMs);
    return { kind: "price", name, change: "withdrawn", version, effectiveFromMs, before: price, after };
  });
  const added = add.map((price): PriceChange => {
    const { version, effectiveFromMs } = price;
    const others = schedule.filter((other) => other !== price);
    const before = priceAt(others, effectiveFromMs);
    const change = before === null ? "added" : "changed";
    return { kind: "price", name, change, version, effectiveFromMs, before, after: price };
  });
  return [...withdrawn, ...added];
}
