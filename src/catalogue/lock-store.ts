import type { Database, Queryable } from "../db/database.ts";

/** One change of the catalogue at a time: what is there is read, compared and written, and nothing may come in between. */
export const underCatalogueLock = <Result>(
  database: Database,
  work: (tx: Queryable) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (tx) => {
    await tx.query("select from duty where name = 'catalogue' for update");
    return work(tx);
  });
