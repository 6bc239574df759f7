import type { Database } from "../database.ts";

/** A read has nothing to confirm. */
const READS = /^\s*select\b/i;
const HERE = "set local synchronous_commit = local";

/**
 * The same database, whose commits wait for its own disk and for no standby. For what lets people in: while a standby is lost, no money
 * moves and nobody could sign in to see why. A failover may lose the sign-ins of its last moment, and whoever they were signs in again.
 */
export const confirmedHere = (database: Database): Database => ({
  ...database,
  query: (sql, values, how) =>
    READS.test(sql)
      ? database.query(sql, values, how)
      : database.transaction(async (tx) => {
          await tx.script(HERE);
          return tx.query(sql, values);
        }),
  transaction: (work) =>
    database.transaction(async (tx) => {
      await tx.script(HERE);
      return work(tx);
    }),
});
