import type {
  BookedPrice,
  CatalogueDescription,
  CatalogueStore,
  ImportOrder,
  ModelOrder,
  ModelOverview,
  PriceChangeOrder,
  Publication,
  RemovedRoute,
} from "../catalogue/model.ts";
import type { By } from "../core/by.ts";
import type { CatalogueChange, PriceChange } from "../core/catalogue-change.ts";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import type { ImportedModel } from "../core/imported-model.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor } from "../core/page.ts";
import type { RouteTerms } from "../core/route-terms.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";

/** A model as operators see it. Address and credential of a route are its provider's. */
export type ModelDetails = Omit<ModelOverview, "routes"> & { routes: readonly (RouteTerms & { id: string })[] };

/** What operators do with models, their prices and routes. */
export type ManageCatalogue = {
  /** Published or not, at the price of this moment. */
  listModels: (page: PageRequest) => Promise<Page<ModelDetails>>;
  showModel: (id: string) => Promise<ModelDetails>;
  /** A new model with its first route, or another route to one that is there already. */
  addModel: (order: ModelOrder, by: By) => Promise<readonly CatalogueChange[]>;
  publish: (ids: readonly string[], state: Publication, by: By) => Promise<readonly { id: string; changed: boolean }[]>;
  /** Every version of a model's price, oldest first. */
  listPrices: (id: string, page: PageRequest) => Promise<Page<BookedPrice>>;
  changePrice: (id: string, change: PriceChangeOrder, by: By) => Promise<readonly PriceChange[]>;
  /** `route`: an id, or as much of it or of `provider/upstream model` as names one. */
  removeRoute: (id: string, removal: { route: string; last: "keep" | "remove" }, by: By) => Promise<RemovedRoute>;
  /** Compares listed models with those that are there; `apply` then makes these as listed. */
  importModels: (order: ImportOrder & { mode: "preview" | "apply" }, by: By) => Promise<readonly ImportedModel[]>;
  /** Makes providers, models, prices and routes as described; what is not described stays. */
  apply: (description: CatalogueDescription, by: By) => Promise<readonly CatalogueChange[]>;
};

type Parts = {
  store: Omit<CatalogueStore, "load" | "suspend">;
  events: Pick<OperatorEvents, "catalogueChanged">;
  clock: Pick<Clock, "nowMs">;
};

const BY_ID: Keyset = { list: "models", values: [/^[^\0]{1,200}$/su] };
const BY_VERSION: Keyset = { list: "prices", values: [/^\d{1,9}$/] };

export function createManageCatalogue({ store, events, clock }: Parts): ManageCatalogue {
  return {
    listModels: async ({ limit, after }) => {
      const [last = null] = readCursor(BY_ID, after) ?? [];
      const rows = await store.listModels(clock.nowMs(), { limit: limit + 1, after: last });
      return pageOf(rows.map(detailsOf), { limit, list: BY_ID.list, valuesOf: ({ id }) => [id] });
    },
    showModel: async (id) => {
      const found = await store.findModel(id, clock.nowMs());
      if (found === null) throw noModel(id);
      return detailsOf(found);
    },
    addModel: async (order, by) => {
      const changes = await store.addModel(order);
      events.catalogueChanged({ changes, ...by });
      return changes;
    },
    publish: async (ids, state, by) => {
      const results = await store.publish(ids, state);
      const changed = results.filter((result) => result.changed);
      events.catalogueChanged({
        changes: changed.map(({ id }) => ({ kind: "model", name: id, change: state })),
        ...by,
      });
      return results;
    },
    listPrices: async (id, { limit, after }) => {
      const [last = "0"] = readCursor(BY_VERSION, after) ?? [];
      const book = await store.prices(id);
      if (book === null) throw noModel(id);
      const rest = book.filter(({ version }) => version > Number(last));
      return pageOf(rest, { limit, list: BY_VERSION.list, valuesOf: ({ version }) => [String(version)] });
    },
    changePrice: async (id, change, by) => {
      const changes = await store.changePrice(id, change);
      events.catalogueChanged({ changes, ...by });
      return changes;
    },
    removeRoute: async (id, { route, last }, by) => {
      const removed = await store.removeRoute(id, route, last);
      const changes = [{ kind: "route", name: `${id} via ${removed.name}`, change: "removed" }];
      events.catalogueChanged({ changes, ...by });
      return removed;
    },
    importModels: async ({ mode, ...order }, by) => {
      const compared = await store.importModels(order, mode);
      if (mode === "apply") events.catalogueChanged({ changes: compared.flatMap(importedChange), ...by });
      return compared;
    },
    apply: async (description, by) => {
      const changes = await store.apply(description);
      events.catalogueChanged({ changes, ...by });
      return changes;
    },
  };
}

/** Named one by one, so that nothing of a provider goes along. */
const detailsOf = ({ routes, ...model }: ModelOverview): ModelDetails => ({
  ...model,
  routes: routes.map((route) => ({
    id: route.id,
    provider: route.provider,
    upstreamModel: route.upstreamModel,
    dialect: route.dialect,
    conformant: route.conformant,
    priority: route.priority,
    weight: route.weight,
    connectTimeoutMs: route.connectTimeoutMs,
    firstByteTimeoutMs: route.firstByteTimeoutMs,
    idleTimeoutMs: route.idleTimeoutMs,
    concurrencyLimit: route.concurrencyLimit,
  })),
});

function importedChange({ id, change }: ImportedModel): { kind: string; name: string; change: string }[] {
  if (change !== "new" && change !== "changed") return [];
  return [{ kind: "model", name: id, change: change === "new" ? "added" : "changed" }];
}

const noModel = (id: string): Fault =>
  new Fault("not_found", `There is no model ${JSON.stringify(id)} in the catalogue.`);
