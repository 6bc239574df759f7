import type { Queryable } from "../db/database.ts";

/** The names that a key can be restricted to. */
export type CatalogueNames = { models: readonly { id: string; published: boolean }[]; providers: readonly string[] };

/** A key's provider is compared with the one a model names as its own, which need not have an address here. */
const READ = `
  select (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'published', published) order by id), '[]') from model) as models,
    (select coalesce(jsonb_agg(name order by name), '[]')
     from (select name from provider union select provider from model) known) as providers`;

export const createReadNames = (database: Queryable) => async (): Promise<CatalogueNames> => {
  const [row] = await database.query<CatalogueNames>(READ, []);
  return row ?? { models: [], providers: [] };
};

/** Those that have an address. */
export const createReadProviderNames = (database: Queryable) => async (): Promise<string[]> => {
  const rows = await database.query<{ name: string }>("select name from provider order by name", []);
  return rows.map(({ name }) => name);
};
