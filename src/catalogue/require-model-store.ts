import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { EMBEDDING_FORMATS, isEmbedding } from "../core/request/dialect.ts";
import type { Queryable } from "../db/database.ts";
import type { DescribedModel } from "./model.ts";
import { livingIn, priceAt } from "./price/price-book.ts";
import { databaseNowMs, readBooks } from "./price/price-book-store.ts";

export async function requireModel(tx: Queryable, id: string): Promise<void> {
  const [found] = await tx.query("select from model where id = $1", [id]);
  if (found === undefined) throw new Fault("not_found", `There is no model ${JSON.stringify(id)} in the catalogue.`);
}

export async function requireProvider(tx: Queryable, name: string): Promise<{ baseUrl: string }> {
  const [found] = await tx.query<{ baseUrl: string }>('select base_url as "baseUrl" from provider where name = $1', [
    name,
  ]);
  if (found === undefined) throw new Conflict(`There is no provider ${JSON.stringify(name)}. Add it first.`);
  return found;
}

const MIXED = `
  select model_id from route where model_id = any ($1)
  group by model_id having bool_or(dialect = any ($2)) and not bool_and(dialect = any ($2)) limit 1`;

/** Call it when their routes have been written: what one of a model's routes is for, all are for. */
export async function requireOneKind(tx: Queryable, modelIds: readonly string[]): Promise<void> {
  const [mixed] = await tx.query<{ model_id: string }>(MIXED, [modelIds, EMBEDDING_FORMATS]);
  if (mixed === undefined) return;
  throw new Conflict(
    `Model ${mixed.model_id} would make embeddings along some of its routes and generate text along others. Add a model of another name for one of the two.`,
  );
}

type Routed = Pick<DescribedModel, "id" | "price" | "upcomingPrices" | "routes">;

const ROUTELESS =
  "select id from model where id = any ($1) and not exists (select from route where model_id = model.id)";

/**
 * Call it when their prices have been written, and their routes have not. A model that made embeddings has 0 in place of a price of output,
 * which nobody said; by that it would give its answers away.
 */
export async function requireOutputPriced(tx: Queryable, models: readonly Routed[]): Promise<void> {
  const silent = models.filter(
    ({ price, routes }) => price === null && routes.some(({ dialect }) => !isEmbedding(dialect)),
  );
  if (silent.length === 0) return;
  const rows = await tx.query<{ id: string }>(ROUTELESS, [silent.map(({ id }) => id)]);
  if (rows.length === 0) return;
  const routeless = new Set(rows.map(({ id }) => id));
  const books = await readBooks(tx, [...routeless]);
  const nowMs = await databaseNowMs(tx);
  const given = silent.find(({ id, upcomingPrices }) => {
    if (!routeless.has(id)) return false;
    const living = livingIn(books.get(id) ?? []);
    const holds = priceAt(living, nowMs);
    // What is to come and was described has a price of output that somebody said.
    const kept = upcomingPrices.length > 0 ? [] : living.filter(({ effectiveFromMs }) => effectiveFromMs > nowMs);
    return [...(holds === null ? [] : [holds]), ...kept].some(
      ({ inputNano, outputNano }) => inputNano > 0n && outputNano === 0n,
    );
  });
  if (given === undefined) return;
  throw new Conflict(
    `Model ${given.id} has no price for its output, and would generate text along this route for nothing. Set its output price first.`,
  );
}

/** What its routes are for; a model without any is for nothing yet. */
export async function isForEmbeddings(tx: Queryable, modelId: string): Promise<boolean> {
  const sql = "select coalesce(bool_and(dialect = any ($2)), false) as embeds from route where model_id = $1";
  const [found] = await tx.query<{ embeds: boolean }>(sql, [modelId, EMBEDDING_FORMATS]);
  return found?.embeds === true;
}
