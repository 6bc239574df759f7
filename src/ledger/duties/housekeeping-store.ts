import { invariant } from "../../core/invariant.ts";
import { sqlStateOf } from "../../db/database-error.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { HouseDuty, HousekeepingStore } from "./housekeeping.ts";

/** Far more than requests get: a busy hour has millions of records, and nobody waits for their sum. */
const ROLLUP_TIMEOUT_MS = 30_000;
/**
 * A new partition locks the journal, and every settle queues behind a lock that is waited for. Better to try again another
 * time than to keep callers waiting.
 */
const PARTITION_LOCK_TIMEOUT_MS = 300;
const PARTITION_TIMEOUT_MS = 1_000;
const CHECK_VIOLATION = "23514";

/** Of the processes with a lease, the one with the smallest id, which is the oldest. They all agree on it without a word. */
const DUTY = `
  select coalesce(
           (select id from process where lease_until >= clock.now order by id limit 1) = $1, false
         ) as mine,
         clock.now
    from (select ledger_now() as now offset 0) clock`;

export function createHousekeepingStore(database: Pick<Database, "query" | "transaction">): HousekeepingStore {
  return {
    duty: async (processId): Promise<HouseDuty> => {
      const [row] = await database.query<{ mine: boolean; now: Date }>(DUTY, [processId]);
      invariant(row, "the question whose duty it is has an answer");
      return { mine: row.mine, nowMs: row.now.getTime() };
    },

    owed: async (limit) => {
      const rows = await database.query<{ hour: Date }>("select hour from rollup_due_v1($1) hour", [limit]);
      return rows.map(({ hour }) => hour.getTime());
    },

    rollup: (hourMs) =>
      alone("rollup", async (tx) => {
        // A script, since the client gives up on a query that outlasts the server's usual limit.
        await tx.script(`
          set local statement_timeout = ${ROLLUP_TIMEOUT_MS};
          select rollup_v1('${new Date(hourMs).toISOString()}')`);
        return "done";
      }),

    rechain: async () => {
      const [row] = await database.query<{ owed: boolean }>("select rechain_v1() as owed");
      return row?.owed ?? false;
    },

    partition: (dayMs) =>
      alone("partition", async (tx) => {
        await tx.script(`
          set local lock_timeout = ${PARTITION_LOCK_TIMEOUT_MS};
          set local statement_timeout = ${PARTITION_TIMEOUT_MS}`);
        const day = new Date(dayMs).toISOString().slice(0, 10);
        const [row] = await tx.query<{ made: boolean }>("select partition_v1($1::date) as made", [day]);
        return row?.made ? "made" : "present";
      }).catch((error: unknown) => {
        if (sqlStateOf(error) === CHECK_VIOLATION) return "occupied";
        throw error;
      }),
  };

  /** Beside the rule of the oldest: two processes may each have believed for a moment that they are it. */
  function alone<Result extends string>(
    duty: "rollup" | "partition",
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result | "busy"> {
    return database.transaction(async (tx) => {
      const taken = await tx.query("select from duty where name = $1 for update skip locked", [duty]);
      return taken.length > 0 ? work(tx) : "busy";
    });
  }
}
