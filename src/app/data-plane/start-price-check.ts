import { createHash } from "node:crypto";
import { createCatalogueStore } from "../../catalogue/catalogue-store.ts";
import { createReadProviderNames } from "../../catalogue/names-store.ts";
import { createPriceCheckStore, type PriceCheckStore } from "../../catalogue/price-check-store.ts";
import { nameOfList, OFF, readCheckedProviders } from "../../core/catalogue/price-check.ts";
import { invariant } from "../../core/invariant.ts";
import type { Config } from "../../config/load-config.ts";
import type { Events } from "../../telemetry/events.ts";
import { checkPriceList } from "../catalogue/check-price-list.ts";
import type { Means } from "../catalogue/fetch-price-list.ts";
import { createReadPriceList, fetchChecked } from "../catalogue/read-price-list.ts";
import type { ProcessParts } from "./process-parts.ts";

type Parts = Pick<ProcessParts, "operatorDatabase" | "clock"> & {
  config: Pick<Config, "priceCheck" | "creditUsd">;
  events: Pick<Events, "dutyDone" | "dutyFailed" | "priceListDiffers" | "priceListChecked" | "priceCheckFailed">;
};

export type PriceCheckPaces = {
  /** How often to look whether a check is due, and what others have found. */
  lookMs: number;
  hourMs: number;
  leastMs: number;
  /** Of a download. */
  bounds?: Pick<Means, "timeoutMs" | "mostBytes">;
};

const PACES: PriceCheckPaces = { lookMs: 60_000, hourMs: 3_600_000, leastMs: 300_000 };

/** Compares the prices in force with a list now and then, unless the settings say otherwise. It changes nothing. */
export function startPriceCheck(parts: Parts, paces: PriceCheckPaces = PACES): { stop: () => Promise<void> } {
  const { config, operatorDatabase: database, events } = parts;
  const store = createPriceCheckStore(database);
  if (config.priceCheck.list === OFF) {
    const forgotten = store.forget().catch((error: unknown) => events.dutyFailed("prices", error));
    return { stop: () => forgotten };
  }
  const stopping = new AbortController();
  const check = createCheck(parts, { ...paces.bounds, signal: stopping.signal });
  let timer: NodeJS.Timeout | null = null;
  let underway = begin();

  async function begin(): Promise<void> {
    try {
      await turn(store, { parts, paces, check, signal: stopping.signal });
      events.dutyDone("prices");
    } catch (error) {
      if (!stopping.signal.aborted) events.dutyFailed("prices", error);
    }
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      underway = begin();
    }, paces.lookMs).unref();
  }

  return {
    stop: () => {
      stopping.abort();
      if (timer) clearTimeout(timer);
      return underway;
    },
  };
}

type Turn = { parts: Parts; paces: PriceCheckPaces; check: ReturnType<typeof createCheck>; signal: AbortSignal };

async function turn(store: PriceCheckStore, { parts, paces, check, signal }: Turn): Promise<void> {
  const { config, events } = parts;
  const { list, everyHours, providers } = config.priceCheck;
  const terms = createHash("sha256")
    .update(JSON.stringify([list, providers, config.creditUsd]))
    .digest("hex");
  const wait = {
    everyMs: everyHours * paces.hourMs,
    retryMs: Math.min(everyHours, 1) * paces.hourMs,
    leastMs: paces.leastMs,
  };
  const taken = await store.take({ list: nameOfList(list), terms }, wait);
  if (taken !== null) {
    const end = await check();
    // Whoever comes next makes it: this process leaves.
    if (signal.aborted) return;
    const result = await store.end(taken, end);
    if ("problem" in end) events.priceCheckFailed({ list: nameOfList(list), problem: end.problem });
    else if (result === "changed" && end.found.models > 0)
      events.priceListDiffers({ list: nameOfList(list), ...end.found });
  }
  const found = await store.read();
  if (found !== null) events.priceListChecked(found);
}

function createCheck({ config, operatorDatabase: database, clock }: Parts, means: Means) {
  const { list, providers } = config.priceCheck;
  const checked = readCheckedProviders(providers);
  invariant(checked, "settings are checked when they are read");
  const { importModels } = createCatalogueStore(database);
  return () =>
    checkPriceList({
      fetchList: () => fetchChecked(list, means),
      readPriceList: createReadPriceList({ creditUsd: config.creditUsd, checkedList: list, clock }),
      importModels,
      providers: createReadProviderNames(database),
      checked,
    });
}
