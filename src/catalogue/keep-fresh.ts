import type { Clock } from "../core/clock.ts";
import type { Catalogue } from "./catalogue.ts";
import type { CatalogueStore, Model } from "./model.ts";

export type Freshness = { refresh: () => Promise<void>; close: () => void };

type Options = {
  catalogue: Catalogue;
  store: Pick<CatalogueStore, "load">;
  clock: Clock;
  /** A slow poll beside the notifications, since one can be lost. */
  pollMs: number;
  onLoaded: (models: readonly Model[]) => void;
  onFailed: (error: unknown) => void;
};

/** Loads the catalogue again when told to, and now and then. A failed load leaves the last one in place. */
export function keepFresh({ catalogue, store, clock, pollMs, onLoaded, onFailed }: Options): Freshness {
  let underway: Promise<void> | null = null;
  let askedAgain = false;
  const timer = setInterval(() => void refresh(), pollMs);
  timer.unref();

  async function load(): Promise<void> {
    do {
      askedAgain = false;
      try {
        const models = await store.load(clock.nowMs());
        catalogue.replace(models);
        onLoaded(models);
      } catch (error) {
        onFailed(error);
      }
    } while (askedAgain);
    underway = null;
  }

  /** Many changes at once make at most one load under way and one after it. */
  function refresh(): Promise<void> {
    if (underway) askedAgain = true;
    return (underway ??= load());
  }

  return { refresh, close: () => clearInterval(timer) };
}
