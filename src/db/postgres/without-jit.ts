import type { Database, Queryable } from "../database.ts";

/**
 * Runs each query in a transaction in which the server compiles nothing: over many partitions that takes seconds, for a query that takes
 * milliseconds.
 */
export const withoutJit = (database: Pick<Database, "transaction">): Queryable => ({
  query: (sql, values) =>
    database.transaction(async (tx) => {
      await tx.script("set local jit = off");
      return tx.query(sql, values);
    }),
});
