import { createId } from "../../src/core/ids.ts";
import { sqlStateOf } from "../../src/db/database-error.ts";
import type { Database, Transaction } from "../../src/db/database.ts";
import { until } from "../support/until.ts";

const REFUSALS = new Set(["08T01", "55T02"]);

/** What moves money, as processes of the version before call it, and as those of this one do. */
const CALLS = {
  turn: `select * from turn_v2(null, gen_random_uuid(), '{}', ${Array(44).fill("null").join(", ")})`,
  admit: `select admit_turn_v1(null, gen_random_uuid(), uuid_floor(ledger_now()), ${Array(11).fill("null").join(", ")})`,
  settle: `select settle_turn_v2(null, ${Array(19).fill("null").join(", ")})`,
  void: "select * from void_v1('{}', '{}', '{}')",
  fund: "select fund_v1(0, 'r', 'grant', 1, 'trial')",
  limit: "select limit_v1(0, 'r', 1, 'day', 'trial')",
  marked: "select on_line_v1((select mark from server_line), 1)",
};

/** What the database is made to believe of its server, and what to call such a state. */
const STATES: Record<string, (tx: Transaction) => Promise<unknown>> = {
  timeline: (tx) => tx.query("update server_line set timeline = timeline + 1"),
  identifier: (tx) => tx.query("update server_line set identifier = identifier + 1"),
  superseded: (tx) => tx.query("update server_line set superseded_by = timeline + 1"),
  isolation: (tx) => tx.script("set transaction isolation level repeatable read"),
};

/**
 * Sends calls that move money to a server that has lost the books, or under another isolation level, and answers what was
 * not refused: `timeline`, `identifier`, `superseded`, `mark`, `isolation`, or `under_way` when the books were taken away amid a call.
 */
export async function tryStraying(database: Database): Promise<string[]> {
  const passed: string[] = [];
  for (const [state, enter] of Object.entries(STATES)) {
    for (const call of Object.values(CALLS)) {
      if (!(await isRefused(database, enter, call))) passed.push(state);
    }
  }
  const another = `select on_line_v1('${createId(1)}', 1)`;
  if (!(await isRefused(database, async () => undefined, another))) passed.push("mark");
  if (!(await waitsForCalls(database))) passed.push("under_way");
  return passed;
}

async function isRefused(
  database: Database,
  enter: (tx: Transaction) => Promise<unknown>,
  call: string,
): Promise<boolean> {
  const outcome = await rolledBack(database, async (tx) => {
    await enter(tx);
    await tx.query(call);
  }).catch((error: unknown) => error);
  return REFUSALS.has(sqlStateOf(outcome) ?? "");
}

/** Whether the books are left where they are until a call that began before has ended. */
async function waitsForCalls(database: Database): Promise<boolean> {
  const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%supersede_line_v1%'";
  let taken = false;
  const { taking, waited } = await database.transaction(async (tx) => {
    await tx.query(CALLS.fund);
    const work = supersede(database).finally(() => {
      taken = true;
    });
    await until(async () => taken || (await database.query(waiting)).length > 0, "the books wait or are taken");
    return { taking: work, waited: !taken };
  });
  await taking;
  return waited;
}

/** Rolled back: a server that has lost the books refuses each new connection, also that of the trial. */
const supersede = (database: Database): Promise<void> =>
  rolledBack(database, (tx) => tx.query("select supersede_line_v1(identifier, timeline + 1) from server_line"));

async function rolledBack(database: Database, work: (tx: Transaction) => Promise<unknown>): Promise<void> {
  const over = new Error("the trial is over");
  await database
    .transaction(async (tx) => {
      await work(tx);
      throw over;
    })
    .catch((error: unknown) => {
      if (error !== over) throw error;
    });
}
