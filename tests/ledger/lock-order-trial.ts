import { createId } from "../../src/core/ids.ts";
import { sqlStateOf } from "../../src/db/database-error.ts";
import type { Database } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/ledger-store.ts";
import { askOf, endOf, loneKey } from "../support/lone-key.ts";
import { until } from "../support/until.ts";

const WAITING =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%turn_v1%'";

/** A turn that ends two requests meets one who has locked their balance and then wants their holds. Answers the states of what failed. */
export async function tryLockOrder(database: Database): Promise<string[]> {
  const key = await loneKey(database, { funds: 100n });
  const ledger = createLedgerStore(database);
  const asks = [askOf(key), askOf(key)];
  await ledger.turn(createId(1), { settlements: [], asks });
  const failed: string[] = [];
  const note = (error: unknown): void => void failed.push(sqlStateOf(error) ?? String(error));
  let settling: Promise<unknown> = Promise.resolve();
  const other = database.transaction(async (tx) => {
    await tx.query("select from balance where key_id = $1 for no key update", [key.keyId]);
    settling = ledger.turn(createId(1), { settlements: asks.map((ask) => endOf(ask)), asks: [] }).catch(note);
    await until(async () => (await database.query(WAITING)).length === 1, "the turn waits");
    await tx.query("select from hold where id = any ($1::uuid[]) order by id for update", [asks.map(({ id }) => id)]);
  });
  await other.catch(note);
  await settling;
  return failed;
}
