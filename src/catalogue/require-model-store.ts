import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
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
