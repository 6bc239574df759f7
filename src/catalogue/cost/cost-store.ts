import type { PriceChange } from "../../core/catalogue/catalogue-change.ts";
import { Fault } from "../../core/fault.ts";
import type { StoredLine } from "../../core/money/stored-lines.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { underCatalogueLock } from "../lock-store.ts";
import type { CatalogueDescription } from "../model.ts";
import { databaseNowMs } from "../price/price-book-store.ts";
import { type BookedCost, costAt, type CostOrder, isInBook, type RouteCost } from "./cost-book.ts";
import { costOfStored, storedCost } from "./stored-cost.ts";

/** Where costs are kept. */
export type CostStore = {
  /** Every version of every cost, in the order in which they were given. */
  read: () => Promise<BookedCost[]>;
  /** Refused where no route leads to that model, and none ever did. */
  set: (order: CostOrder) => Promise<PriceChange[]>;
};

type Row = RouteCost & { version: number; effectiveFrom: Date; givenAt: Date; lines: StoredLine[] | null };

const READ = `
  select (row_number() over (partition by provider, upstream_model order by no))::int as version, provider, upstream_model as "upstreamModel", effective_from as "effectiveFrom", given_at as "givenAt", lines
    from cost order by no`;

const ADD = `
  insert into cost (provider, upstream_model, effective_from, given_at, lines) values ($1, $2, $3, $4, $5::jsonb)`;

/** A model that was served once keeps its charges, whatever became of its route. */
const IS_ROUTE = `
  select from route where provider = $1 and upstream_model = $2
  union all select from served where provider = $1 and upstream_model = $2 limit 1`;
const ROUTES = "select distinct upstream_model as name from route where provider = $1 order by 1 limit 20";

export const createCostStore = (database: Database): CostStore => ({
  read: () => readCosts(database),
  set: (order) =>
    underCatalogueLock(database, async (tx) => {
      await requireRoute(tx, order);
      return writeCosts(tx, [order]);
    }),
});

/** Writes the costs of a description into the book. What has no cost in it stays as it is. */
export async function applyCosts(tx: Queryable, { models }: CatalogueDescription): Promise<PriceChange[]> {
  const orders = models.flatMap(({ routes }) =>
    routes.flatMap(({ provider, upstreamModel, cost }): CostOrder[] => {
      if (cost === undefined) return [];
      if (cost === null) return [{ provider, upstreamModel, cost, effectiveFromMs: null }];
      const { effectiveFromMs, ...tariff } = cost;
      return [{ provider, upstreamModel, cost: tariff, effectiveFromMs }];
    }),
  );
  return orders.length === 0 ? [] : writeCosts(tx, orders);
}

async function writeCosts(tx: Queryable, orders: readonly CostOrder[]): Promise<PriceChange[]> {
  const book = await readCosts(tx);
  const nowMs = await databaseNowMs(tx);
  const changes: PriceChange[] = [];
  for (const order of orders) {
    const { provider, upstreamModel, cost } = order;
    const fromMs = order.effectiveFromMs ?? nowMs;
    // Two models may be served by one of a provider's, and a description says the cost of it at both.
    if (isInBook(book, order, fromMs)) continue;
    const before = costAt(book, order, fromMs)?.cost ?? null;
    const lines = cost === null ? null : JSON.stringify(storedCost(cost));
    const values = [provider, upstreamModel, new Date(fromMs), new Date(nowMs), lines];
    await tx.query(ADD, values);
    const version = 1 + book.filter((row) => row.provider === provider && row.upstreamModel === upstreamModel).length;
    book.push({ provider, upstreamModel, version, effectiveFromMs: fromMs, givenAtMs: nowMs, cost });
    changes.push({
      kind: "cost",
      name: `${provider}/${upstreamModel}`,
      change: cost === null ? "withdrawn" : before === null ? "added" : "changed",
      version,
      effectiveFromMs: fromMs,
      before,
      after: cost,
    });
  }
  return changes;
}

const readCosts = async (queryable: Queryable): Promise<BookedCost[]> =>
  (await queryable.query<Row>(READ)).map(({ effectiveFrom, givenAt, lines, ...row }) => ({
    ...row,
    effectiveFromMs: effectiveFrom.getTime(),
    givenAtMs: givenAt.getTime(),
    cost: lines === null ? null : costOfStored(lines),
  }));

async function requireRoute(tx: Queryable, { provider, upstreamModel }: RouteCost): Promise<void> {
  const [found] = await tx.query(IS_ROUTE, [provider, upstreamModel]);
  if (found !== undefined) return;
  const known = await tx.query<{ name: string }>(ROUTES, [provider]);
  const others =
    known.length === 0
      ? "No route leads to that provider."
      : `Its routes: ${known.map(({ name }) => name).join(", ")}.`;
  throw new Fault(
    "not_found",
    `No route leads to the model ${JSON.stringify(upstreamModel)} of provider ${JSON.stringify(provider)}. ${others}`,
  );
}
