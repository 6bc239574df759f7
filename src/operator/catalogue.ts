import type {
  BookedPrice,
  CatalogueDescription,
  CatalogueStore,
  ImportOrder,
  ModelOrder,
  ModelOverview,
  PriceChangeOrder,
  RemovedRoute,
} from "../catalogue/model.ts";
import type { By } from "../core/people/by.ts";
import type { CatalogueChange, PriceChange } from "../core/catalogue/catalogue-change.ts";
import type { Clock } from "../core/clock.ts";
import type { CatalogueNames } from "../catalogue/names-store.ts";
import type { Credentials } from "../credentials/open-credentials.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { matchesGlob } from "../core/text/matches-glob.ts";
import type { PriceCheck } from "../core/catalogue/price-check.ts";
import type { ImportedModel } from "../core/catalogue/imported-model.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor } from "../core/page.ts";
import type { AcceptableAlarm, AcceptedAlarm } from "../core/money/money-alarm.ts";
import type { RouteTerms } from "../core/catalogue/route-terms.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";

/** A model as operators see it. Address and credential of a route are its provider's. */
export type ModelDetails = Omit<ModelOverview, "routes"> & { routes: readonly (RouteTerms & { id: string })[] };

/** `warnings`: why a published model's provider cannot be called from here, though its clients may ask for it. */
export type PublishedModel = { id: string; changed: boolean; warnings: readonly string[] };

/** What an import makes of each model; `applied`: it is made so. */
export type ComparedModels = { applied: boolean; data: readonly ImportedModel[] };

export type AlarmOrder = Pick<AcceptedAlarm, "kind" | "reason" | "untilMs">;

/** What operators do with models, their prices and routes. */
export type ManageCatalogue = {
  /** Published or not, at the price of this moment. */
  listModels: (page: PageRequest) => Promise<Page<ModelDetails>>;
  showModel: (id: string) => Promise<ModelDetails>;
  /** A new model with its first route, or another route to one that is there already. */
  addModel: (order: ModelOrder, by: By) => Promise<readonly CatalogueChange[]>;
  /** `patterns`: ids, in which `*` stands for any characters and `?` for one. One that matches nothing is refused. */
  publish: (change: "publish" | "unpublish", patterns: readonly string[], by: By) => Promise<readonly PublishedModel[]>;
  /** Every version of a model's price, oldest first. */
  listPrices: (id: string, page: PageRequest) => Promise<Page<BookedPrice>>;
  changePrice: (id: string, change: PriceChangeOrder, by: By) => Promise<readonly PriceChange[]>;
  /** `route`: an id, or as much of it or of `provider/upstream model` as names one. */
  removeRoute: (id: string, route: string, last: "keep" | "remove", by: By) => Promise<RemovedRoute>;
  /** No alert for alarms of this kind of this model, in place of what was accepted of the kind before. */
  acceptAlarm: (id: string, order: AlarmOrder, by: By) => Promise<AcceptedAlarm>;
  /** Such alarms alert again. Answers what had been accepted. */
  withdrawAlarm: (id: string, kind: AcceptableAlarm, by: By) => Promise<AcceptedAlarm>;
  /** Compares listed models with those that are there; `apply` then makes these as listed. */
  importModels: (order: ImportOrder & { mode: "preview" | "apply" }, by: By) => Promise<ComparedModels>;
  /** What checks of the price list have found; null: nothing is checked, or nothing yet. */
  showPriceCheck: () => Promise<PriceCheck | null>;
  /** Makes providers, models, prices and routes as described; what is not described stays. */
  apply: (description: CatalogueDescription, by: By) => Promise<readonly CatalogueChange[]>;
};

type Parts = {
  store: Omit<CatalogueStore, "load" | "suspend">;
  readNames: () => Promise<CatalogueNames>;
  credentials: Pick<Credentials, "problem">;
  events: Pick<OperatorEvents, "catalogueChanged">;
  clock: Pick<Clock, "nowMs">;
};

/** What is read of checks is not the catalogue's own. */
type Catalogue = Omit<ManageCatalogue, "showPriceCheck">;

const BY_ID: Keyset = { list: "models", values: [/^[^\0]{1,200}$/su] };
const BY_VERSION: Keyset = { list: "prices", values: [/^\d{1,9}$/] };

export function createManageCatalogue({ store, readNames, credentials, events, clock }: Parts): Catalogue {
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
    publish: async (change, patterns, by) => {
      const state = change === "publish" ? "published" : "unpublished";
      const ids = await matchingIds(patterns, readNames);
      const results = await store.publish(ids, state);
      const changes = results.flatMap(({ id, changed }) =>
        changed ? [{ kind: "model", name: id, change: state }] : [],
      );
      events.catalogueChanged({ changes, ...by });
      const models = state === "published" ? await store.listModels(clock.nowMs()) : [];
      const warnings = new Map(models.map((model) => [model.id, credentialProblems(model, credentials)]));
      return results.map((result) => ({ ...result, warnings: warnings.get(result.id) ?? [] }));
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
    removeRoute: async (id, route, last, by) => {
      const removed = await store.removeRoute(id, route, last);
      const changes = [{ kind: "route", name: `${id} via ${removed.name}`, change: "removed" }];
      events.catalogueChanged({ changes, ...by });
      return removed;
    },
    ...createManageAlarms({ store, events, clock }),
    importModels: async ({ mode, ...order }, by) => {
      const data = await store.importModels(order, mode);
      if (mode === "apply") events.catalogueChanged({ changes: data.flatMap(importedChange), ...by });
      return { applied: mode === "apply", data };
    },
    apply: async (description, by) => {
      const changes = await store.apply(description);
      events.catalogueChanged({ changes, ...by });
      return changes;
    },
  };
}

/** What of a model's alarms does not alert. */
function createManageAlarms({
  store,
  events,
  clock,
}: Pick<Parts, "store" | "events" | "clock">): Pick<ManageCatalogue, "acceptAlarm" | "withdrawAlarm"> {
  return {
    acceptAlarm: async (id, order, by) => {
      const nowMs = clock.nowMs();
      if (order.untilMs !== null && order.untilMs <= nowMs)
        throw new Conflict(
          `${new Date(order.untilMs).toISOString()} is in the past. Use a future date, or none to accept it for good.`,
        );
      const accepted = { ...order, actor: by.actor, acceptedAtMs: nowMs };
      await store.acceptAlarm(id, accepted);
      events.catalogueChanged({ changes: [alarmChange(id, order.kind, "accepted")], ...by });
      return accepted;
    },
    withdrawAlarm: async (id, kind, by) => {
      const withdrawn = await store.withdrawAlarm(id, kind);
      events.catalogueChanged({ changes: [alarmChange(id, kind, "withdrawn")], ...by });
      return withdrawn;
    },
  };
}

/** Plain ids stay as they are: whether they are there is for the store to say, within its transaction. */
async function matchingIds(patterns: readonly string[], readNames: Parts["readNames"]): Promise<string[]> {
  if (!patterns.some(isPattern)) return [...patterns];
  const { models } = await readNames();
  const matched = patterns.flatMap((pattern) => {
    if (!isPattern(pattern)) return [pattern];
    const found = models.flatMap(({ id }) => (matchesGlob(id, pattern) ? [id] : []));
    if (found.length === 0)
      throw new Fault("not_found", `No model matches ${JSON.stringify(pattern)}. Nothing was changed.`);
    return found;
  });
  return [...new Set(matched)];
}

const isPattern = (text: string): boolean => /[*?]/.test(text);

function credentialProblems({ routes }: ModelOverview, credentials: Parts["credentials"]): string[] {
  const problems = routes.flatMap((route) => {
    const problem = credentials.problem(route);
    return problem === null ? [] : [`no usable credential for provider ${route.provider}: ${problem}`];
  });
  return [...new Set(problems)];
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
    region: route.region ?? null,
  })),
});

const alarmChange = (id: string, kind: AcceptableAlarm, change: string) => ({
  kind: "alarm",
  name: `${kind} of ${id}`,
  change,
});

function importedChange({ id, change }: ImportedModel): { kind: string; name: string; change: string }[] {
  if (change !== "new" && change !== "changed") return [];
  return [{ kind: "model", name: id, change: change === "new" ? "added" : "changed" }];
}

const noModel = (id: string): Fault =>
  new Fault("not_found", `There is no model ${JSON.stringify(id)} in the catalogue.`);
