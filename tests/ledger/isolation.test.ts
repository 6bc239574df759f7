import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import type { Database } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { askOf, loneKey } from "../support/lone-key.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const LEVELS = ["repeatable read", "serializable"];

/** Every call that moves money, with as little as it takes to be heard. */
const CALLS = [
  `select * from turn_v2(null, gen_random_uuid(), '{}', ${Array.from({ length: 44 }, () => "null").join(", ")})`,
  `select admit_turn_v1(${Array.from({ length: 14 }, () => "null").join(", ")})`,
  `select settle_turn_v2(${Array.from({ length: 20 }, () => "null").join(", ")})`,
  "select * from void_v1('{}', '{}', '{}')",
  "select fund_v1(1, 'r', 'grant', 1, 'test')",
  "select limit_v1(1, 'r', 1, 'day', 'test')",
  "select refund_v1(gen_random_uuid(), 'r', gen_random_uuid(), 1, null, 'test')",
  "select * from suspend_v1('{}')",
];

describe.skipIf(whyUnavailable("15") !== null).each(LEVELS)("a database whose default isolation is %s", (level) => {
  let fresh: FreshDatabase;
  let database: Database;
  let ask: Ask;

  beforeAll(async () => {
    fresh = await freshDatabase();
    const admin = new Client({ connectionString: fresh.url });
    await admin.connect();
    const name = new URL(fresh.url).pathname.slice(1);
    await admin.query(`alter database ${name} set default_transaction_isolation = '${level}'`);
    await admin.end();
    database = createPostgres({ url: fresh.url, ...limits });
    ask = askOf(await loneKey(database, { funds: 100n }));
  });
  afterAll(async () => {
    await database?.close();
    await fresh?.close();
  });

  test("an admission that waited for the void of its own id is not admitted", async () => {
    const ledger = createLedgerStore(database);
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%turn_v_%'";

    const late = await database.transaction(async (tx) => {
      await createLedgerStore(tx).void([ask]);
      const admission = ledger.admit(createId(1), [ask]);
      await until(async () => (await database.query(waiting)).length === 1, "the admission waits");
      return { admission };
    });

    expect(await late.admission).toEqual([{ kind: "already", granted: { credits: null, tokens: null } }]);
    expect(await database.query("select from hold")).toEqual([]);
  });

  test.each(CALLS)("is refused where nobody set another, as behind a pooler: %s", async (call) => {
    const client = new Client({ connectionString: fresh.url });
    await client.connect();

    const refusal = { code: "55T02", message: `the isolation level is ${level}, and the ledger needs read committed` };
    await expect(client.query(call)).rejects.toMatchObject(refusal);
    await client.end();
  });
});
