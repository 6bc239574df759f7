import { readFileSync } from "node:fs";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { askOf, endOf, loneKey } from "../support/lone-key.ts";
import { createPlainOwner } from "../support/plain-owner.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";

const limits = { poolSize: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000, onError: () => undefined };
const PAGE = readFileSync(new URL("../../docs/operate/managed-postgresql.md", import.meta.url), "utf8");
/** What a platform does that publishes every table of `public` to callers without an account. */
const PUBLISHED = [
  "create role anon login",
  "grant usage on schema public to anon",
  "alter default privileges in schema public grant all on tables to anon",
];

describe.skipIf(whyUnavailable("15") !== null)("on a platform that publishes the schema public", () => {
  let cluster: Cluster;
  const opened: Database[] = [];
  const as = (role: string): Database => {
    const database = createPostgres({ url: cluster.urlAs(role, "postgres"), ...limits });
    opened.push(database);
    return database;
  };

  beforeAll(async () => {
    cluster = await startCluster({ version: "15", durable: false });
    const administrator = new Client({ connectionString: (await createPlainOwner(cluster))() });
    await administrator.connect();
    const [, block = ""] = /^ {2}```sql\n(.*?)^ {2}```/ms.exec(PAGE) ?? [];
    const statements = block.split(";\n").filter((text) => text.trim() !== "");
    expect(statements.length).toBeGreaterThan(5);
    for (const statement of [...PUBLISHED, ...statements]) await administrator.query(statement);
    await administrator.end();
    await migrate(as("tollgate_owner"), { folder: schemaFolder(), roles: { servingRole: "tollgate" } });
  });
  afterAll(async () => {
    for (const database of opened) await database.close();
    await cluster?.close();
  });

  test("the statements of the page put the tables where they are not published, and the gateway's role charges there", async () => {
    const serving = as("tollgate");
    const ledger = createLedgerStore(serving);
    const processId = createId(Date.now());
    await ledger.heartbeat(processId);
    const ask = askOf(await loneKey(serving, { funds: 100n }));

    expect(await ledger.admit(processId, [ask])).toMatchObject([{ kind: "admitted" }]);
    expect(await ledger.settle([endOf(ask)])).toMatchObject([{ kind: "settled" }]);
    expect(await serving.query("select from pg_class where relnamespace = 'public'::regnamespace")).toEqual([]);
    await expect(as("anon").query("select from tollgate.key_secret")).rejects.toMatchObject({ code: "42501" });
  });

  test("a second migration finds the schema again, though the role has another search path since", async () => {
    await as("tollgate_owner").query("alter role tollgate_owner set search_path = tollgate, public");

    expect(
      await migrate(as("tollgate_owner"), { folder: schemaFolder(), roles: { servingRole: "tollgate" } }),
    ).toMatchObject({
      applied: [],
      functions: [],
    });
  });
});
