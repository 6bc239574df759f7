import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Pgbouncer, startPgbouncer, whyNoPgbouncer } from "../../tests/support/pgbouncer.ts";
import { poolerConfiguration, poolerPage } from "../../tests/support/pooler-page.ts";
import { type Cluster, startCluster, whyUnavailable } from "../../tests/support/postgres.ts";
import { createPostgres } from "./postgres.ts";

const reason = whyUnavailable("15") ?? whyNoPgbouncer();

describe.skipIf(reason !== null)(
  `PgBouncer in transaction mode${reason === null ? "" : `: skipped, ${reason}`}`,
  () => {
    let cluster: Cluster;
    let pooler: Pgbouncer;
    beforeAll(async () => {
      cluster = await startCluster({ version: "15", durable: false });
      await run("create role tollgate login password 'for-tests'", "create database tollgate owner tollgate");
      pooler = await startPooler();
    });
    afterAll(async () => {
      await pooler?.close();
      await cluster?.close();
    });

    async function run(...statements: string[]): Promise<void> {
      const client = new Client({ connectionString: cluster.superuserUrl });
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    }

    const startPooler = () =>
      startPgbouncer({
        configuration: (place) => poolerConfiguration({ ...place, serverPort: cluster.port, database: "tollgate" }),
        users: { tollgate: "for-tests" },
      });

    const open = (port: number, statementTimeoutMs = 5_000) =>
      createPostgres({
        url: `postgres://tollgate:for-tests@127.0.0.1:${port}/tollgate`,
        poolSize: 6,
        connectTimeoutMs: 5_000,
        statementTimeoutMs,
        onError: () => undefined,
      });

    test("a pooler is told from a server", async () => {
      const [past, through] = [open(cluster.port), open(pooler.port)];

      expect(await past.inspect()).toMatchObject({ pooled: false, role: "tollgate" });
      expect(await through.inspect()).toMatchObject({ pooled: true, role: "tollgate" });
      await Promise.all([past.close(), through.close()]);
    });

    /** The limit each of eighteen calls ran under; they overlap, so that the pooler spreads them. */
    async function limitsSeen(): Promise<string[]> {
      await using database = { value: open(pooler.port), [Symbol.asyncDispose]: () => database.value.close() };
      const call = async (): Promise<string> => {
        const sql = "select current_setting('statement_timeout') as limit, pg_sleep(0.1)";
        const [row] = await database.value.query<{ limit: string }>(sql);
        return row?.limit ?? "";
      };
      const seen: string[] = [];
      for (let round = 0; round < 3; round++) seen.push(...(await Promise.all(Array.from({ length: 6 }, call))));
      return seen;
    }

    test("what a session was told does not hold there, and is found to be missing", async () => {
      expect(await limitsSeen()).toContain("0");
      const database = open(pooler.port);
      expect((await database.inspect())?.sessionDefaults).toMatchObject({
        statementTimeoutMs: 0,
        idleTransactionTimeoutMs: 0,
      });
      await database.close();
    });

    test("with the statements of docs/operate/poolers.md every call ends within the limit", async () => {
      const [statements = ""] = poolerPage("sql");
      await run(...statements.split(";\n").filter((statement) => statement !== ""));
      await pooler.close();
      pooler = await startPooler();

      expect(new Set(await limitsSeen())).toEqual(new Set(["5s"]));
      const database = open(pooler.port);
      expect((await database.inspect())?.sessionDefaults).toMatchObject({
        statementTimeoutMs: 5_000,
        idleTransactionTimeoutMs: 10_000,
      });
      const hanging = Array.from({ length: 6 }, () => database.query("select pg_sleep(60)"));
      for (const ended of await Promise.allSettled(hanging))
        expect(ended).toMatchObject({ status: "rejected", reason: { code: "57014" } });
      await database.close();
    });

    test("the isolation level that a role's sessions begin with is found, whatever ours was told", async () => {
      await run("alter role tollgate set default_transaction_isolation = 'serializable'");
      const database = open(cluster.port);
      expect((await database.inspect())?.sessionDefaults.isolation).toBe("serializable");

      await run("alter role tollgate reset default_transaction_isolation");
      await database.close();
    });
  },
);
