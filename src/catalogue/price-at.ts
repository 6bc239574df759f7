import type { Price } from "./model.ts";

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
