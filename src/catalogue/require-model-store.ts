import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import type { Queryable } from "../db/database.ts";

export async function requireModel(tx: Queryable, id: string): Promise<void> {
  const [found] = await tx.query("select from model where id = $1", [id]);
  if (found === undefined) throw new Fault("not_found", `there is no model ${id} in the catalogue.`);
}

export async function requireProvider(tx: Queryable, name: string): Promise<void> {
  const [found] = await tx.query("select from provider where name = $1", [name]);
  if (found === undefined) throw new Conflict(`there is no provider ${name}; add it first.`);
}
