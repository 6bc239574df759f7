import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { askOf, loneKey } from "../support/lone-key.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";
import { promote, startStandbyOf } from "../support/postgres-standby.ts";

const reason = whyUnavailable("15", "pg_basebackup");
const NOTHING = { swept: [], quarantined: [] };

describe.skipIf(reason !== null)("a standby that has been up for an hour is promoted", () => {
  let primary: Cluster;
  let standby: Cluster;
  const [alive, late] = [createId(2), createId(3)];
  const id = createId(Date.now());

  beforeAll(async () => {
    primary = await startCluster({ version: "15" });
    const database = open(primary);
    await migrate(database, { folder: schemaFolder() });
    const key = await loneKey(database, { funds: 100n });
    const ledger = createLedgerStore(database);
    for (const processId of [alive, late]) await ledger.heartbeat(processId);
    await ledger.admit(late, [askOf(key, { id, lifetimeMs: 600_000 })]);
    // Both have run for long, and the one that is late by a moment holds something.
    await database.script(`
      create or replace function ledger_server_start() returns timestamptz language sql as 'select now() - interval ''1 hour''';
      update process set renewing_since = renewing_since - interval '1 hour';
      update process set lease_until = clock_timestamp() where id = '${late}';
      update hold set admitted_at = admitted_at - interval '1 minute';
    `);
    await database.close();
    standby = await startStandbyOf(primary);
    await primary.stop({ mode: "immediate" });
    await promote(standby);
  });
  afterAll(async () => {
    await standby?.close();
    await primary?.close();
  });

  test("its timeline is another, and nobody is swept before everyone had a full lease to renew [I6]", async () => {
    await using promoted = closing(open(standby));
    const { database } = promoted;
    const ledger = createLedgerStore(database);
    const timelines = "select server_timeline() as now, (select min(timeline) from process) as before";
    expect(await database.query(timelines)).toEqual([{ now: 2n, before: 1n }]);

    expect(await ledger.sweep(alive, 10)).toEqual(NOTHING);
    await ledger.heartbeat(alive);
    expect(await ledger.sweep(alive, 10)).toEqual(NOTHING);
    await database.query("update process set renewing_since = renewing_since - interval '15 seconds'");

    expect(await ledger.sweep(alive, 10)).toMatchObject({ swept: [{ id }] });
  });
});

const open = (cluster: Cluster): Database =>
  createPostgres({
    url: cluster.url(),
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 10_000,
    onError: () => undefined,
  });

const closing = (database: Database) => ({ database, [Symbol.asyncDispose]: () => database.close() });
