import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { EMBEDDING_FORMATS } from "../core/request/dialect.ts";
import type { Queryable } from "../db/database.ts";

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

/** What its routes are for; a model without any is for nothing yet. */
export async function isForEmbeddings(tx: Queryable, modelId: string): Promise<boolean> {
  const sql = "select coalesce(bool_and(dialect = any ($2)), false) as embeds from route where model_id = $1";
  const [found] = await tx.query<{ embeds: boolean }>(sql, [modelId, EMBEDDING_FORMATS]);
  return found?.embeds === true;
}
