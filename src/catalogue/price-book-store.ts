import type { PriceChange } from "../core/change-view.ts";
import type { Queryable } from "../db/database.ts";
import type { BookedPrice, CatalogueDescription, DescribedPrice } from "./model.ts";
import { planPrices, type PricePlan } from "./price-book.ts";
import { bookedPriceOf, PART_COLUMNS, PRICE_AS_JSON, type PriceRow, rowOf } from "./price-row.ts";

const READ_BOOKS = `
  select model_id, jsonb_agg(${PRICE_AS_JSON} order by version) as prices
  from price where model_id = any ($1) group by model_id`;

const WITHDRAW = `
  update price set withdrawn_at = $2
  from jsonb_to_recordset($1) as d ("modelId" text, version int)
  where price.model_id = d."modelId" and price.version = d.version`;

const ADD = `
  insert into price (model_id, version, effective_from, tool_call_nano,
                     ${PART_COLUMNS.map(({ column }) => column).join(", ")})
  select d."modelId", d.version, d."effectiveFrom", d."toolCallNano",
         ${PART_COLUMNS.map(({ part }) => `d."${part}"`).join(", ")}
  from jsonb_to_recordset($1) as d ("modelId" text, version int, "effectiveFrom" timestamptz, "toolCallNano" jsonb,
                                    ${PART_COLUMNS.map(({ part }) => `"${part}" bigint`).join(", ")})`;

/** What a model's prices are to be. */
export type PricedModel = { id: string; described: readonly DescribedPrice[] };
export type BookPlan = PricePlan & { modelId: string };

/** Writes the described prices into the books. */
export async function applyPrices(tx: Queryable, { models }: CatalogueDescription): Promise<PriceChange[]> {
  const priced = models.flatMap(({ id, price, upcomingPrices }) => {
    const described = price === null ? upcomingPrices : [price, ...upcomingPrices];
    return described.length === 0 ? [] : [{ id, described }];
  });
  if (priced.length === 0) return [];
  const nowMs = await databaseNowMs(tx);
  const books = await readBooks(
    tx,
    priced.map(({ id }) => id),
  );
  return writeBooks(tx, { plans: planBooks(priced, { books, nowMs }), nowMs });
}

export const planBooks = (
  priced: readonly PricedModel[],
  { books, nowMs }: { books: ReadonlyMap<string, readonly BookedPrice[]>; nowMs: number },
): BookPlan[] =>
  priced.map(({ id, described }) => ({
    modelId: id,
    ...planPrices(id, { book: books.get(id) ?? [], described, nowMs }),
  }));

/**
 * Call it under the catalogue's lock: what the plans were made of is still true when they are written, and the primary key
 * refuses a version that somebody added past the lock.
 */
export async function writeBooks(
  tx: Queryable,
  { plans, nowMs }: { plans: readonly BookPlan[]; nowMs: number },
): Promise<PriceChange[]> {
  const withdrawn = plans.flatMap(({ modelId, withdraw }) => withdraw.map(({ version }) => ({ modelId, version })));
  const added = plans.flatMap(({ modelId, add }) =>
    add.map((price) => ({
      modelId,
      version: price.version,
      effectiveFrom: new Date(price.effectiveFromMs),
      ...rowOf(price),
    })),
  );
  // Nothing to write writes nothing, so that no gateway is woken.
  if (withdrawn.length > 0) await tx.query(WITHDRAW, [JSON.stringify(withdrawn), new Date(nowMs)]);
  if (added.length > 0) await tx.query(ADD, [JSON.stringify(added)]);
  return plans.flatMap(({ changes }) => changes);
}

/** The books of these models, oldest version first; a model that was never priced has none. */
export async function readBooks(tx: Queryable, modelIds: readonly string[]): Promise<Map<string, BookedPrice[]>> {
  const rows = await tx.query<{ model_id: string; prices: PriceRow[] }>(READ_BOOKS, [modelIds]);
  return new Map(rows.map(({ model_id, prices }) => [model_id, prices.map(bookedPriceOf)]));
}

/** Read after the lock is held, so that two descriptions never give their prices dates in the wrong order. */
export async function databaseNowMs(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ now: Date }>("select clock_timestamp() as now");
  return row?.now.getTime() ?? 0;
}
