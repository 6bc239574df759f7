import { Conflict } from "../core/conflict.ts";
import { isEmbedding } from "../core/request/dialect.ts";
import { sameTariff } from "../core/money/price.ts";
import type { Database, Queryable } from "../db/database.ts";
import { applyModels, applyRoutes } from "./apply-catalogue-store.ts";
import { applyPrices, databaseNowMs } from "./price/price-book-store.ts";
import { underCatalogueLock } from "./lock-store.ts";
import type { CatalogueDesk, DescribedModel, Model, ModelOrder, ModelOverview, RouteOrder } from "./model.ts";
import { newModel, routeAs } from "./new-model.ts";
import { obstaclesOf } from "./obstacles.ts";
import { type ReadModel, readModels } from "./read-models-store.ts";
import { requireModel, requireOneKind, requireOutputPriced, requireProvider } from "./require-model-store.ts";

type ModelDesk = Pick<CatalogueDesk, "listModels" | "findModel" | "addModel" | "publish">;

export function createModelDesk(database: Database): ModelDesk {
  return {
    listModels: async (atMs, page) =>
      (await readModels(database, { atMs, which: "all", ...(page ? { page } : {}) })).map(overviewOf),
    findModel: async (id, atMs) => {
      const [found] = await readModels(database, { atMs, which: "all", id });
      return found === undefined ? null : overviewOf(found);
    },
    addModel: (order) =>
      underCatalogueLock(database, async (tx) => {
        await requireProvider(tx, order.route.provider);
        const nowMs = await databaseNowMs(tx);
        const [present] = await readModels(tx, { atMs: nowMs, which: "all", id: order.id });
        if (present === undefined) return addNew(tx, order);
        requireNoContradiction(present.model, order);
        const found = present.model.routes.find((known) => isSameRoute(known, order.route)) ?? null;
        const routes = [routeAs(order.route, found)];
        const description = { providers: [], models: [{ ...describedAs(present.model, order), routes }] };
        await requireOutputPriced(tx, description.models);
        const changes = [...(await applyModels(tx, description)), ...(await applyRoutes(tx, description))];
        await requireOneKind(tx, [order.id]);
        return changes;
      }),
    publish: (modelIds, state) =>
      underCatalogueLock(database, async (tx) => {
        for (const id of modelIds) await requireModel(tx, id);
        const sql = "update model set published = $2 where id = any ($1) and published <> $2 returning id";
        const changed = await tx.query<{ id: string }>(sql, [modelIds, state === "published"]);
        return modelIds.map((id) => ({ id, changed: changed.some((row) => row.id === id) }));
      }),
  };
}

const overviewOf = ({ model, ...circumstances }: ReadModel): ModelOverview => ({
  ...model,
  published: circumstances.published,
  obstacles: obstaclesOf(model, circumstances),
});

async function addNew(tx: Queryable, order: ModelOrder): ReturnType<CatalogueDesk["addModel"]> {
  const { id, displayName, contextWindow, maxOutputTokens, reasoning, tariff, route, publication } = order;
  const embeds = isEmbedding(route.dialect);
  if (tariff === null || (!embeds && (contextWindow === null || maxOutputTokens === null))) {
    throw new Conflict(
      embeds
        ? `Model ${id} is new. It needs an input price.`
        : `Model ${id} is new. It needs a context window, an output limit, an input price and an output price.`,
    );
  }
  const described = newModel({ id, displayName, contextWindow, maxOutputTokens, reasoning, tariff, route });
  const description = { providers: [], models: [described] };
  const changes = [
    ...(await applyModels(tx, description)),
    ...(await applyPrices(tx, description)),
    ...(await applyRoutes(tx, description)),
  ];
  if (publication === "unpublished") await tx.query("update model set published = false where id = $1", [id]);
  return changes;
}

/** Whoever says another limit or price than there is means another model, or wants to change this one, which is not adding. */
function requireNoContradiction(present: Model, order: ModelOrder): void {
  const { contextWindow, maxOutputTokens, tariff } = order;
  const contradicted = [
    contextWindow !== null && contextWindow !== present.contextWindow && "context window",
    maxOutputTokens !== null && maxOutputTokens !== present.maxOutputTokens && "output limit",
    tariff !== null && (present.price === null || !sameTariff(tariff, present.price)) && "price",
  ].filter((word) => word !== false);
  if (contradicted.length === 0) return;
  throw new Conflict(
    `Model ${order.id} already exists with a different ${contradicted.join(" and a different ")}. Omit this to add only a route.`,
  );
}

const isSameRoute = (one: RouteOrder, other: RouteOrder): boolean =>
  one.provider === other.provider && one.upstreamModel === other.upstreamModel && one.dialect === other.dialect;

/** As it is, but for what the order says that may change; its prices are not going to be written. */
const describedAs = (model: Model, { reasoning }: ModelOrder): DescribedModel => ({
  ...model,
  capabilities: { ...model.capabilities, ...(reasoning === undefined ? {} : { reasoning }) },
  price: null,
  upcomingPrices: [],
});
