import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Pgbouncer, startPgbouncer, whyNoPgbouncer } from "../../tests/support/pgbouncer.ts";
import { poolerConfiguration, poolerPage } from "../../tests/support/pooler-page.ts";
import { type Cluster, startCluster, whyUnavailable } from "../../tests/support/postgres.ts";
import { type Database, PREPARED } from "./database.ts";
import { migrate, pendingMigrations } from "./schema/migrate.ts";
import { readMigrations, schemaFolder } from "./schema-files.ts";
import { createPostgres, type PostgresOptions } from "./postgres/postgres.ts";

/** Slow enough for six of them to need six sessions. */
/** It takes a moment, so that six of them need several sessions. */
const OFTEN = "select $1::int as value, pg_sleep(0.02)";

const limitOf = (row: unknown): string => (row as { limit: string }).limit;

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

    const open = (port: number, statementTimeoutMs = 5_000, more: Partial<PostgresOptions> = {}) =>
      createPostgres({
        url: `postgres://tollgate:for-tests@127.0.0.1:${port}/tollgate`,
        poolSize: 6,
        connectTimeoutMs: 5_000,
        statementTimeoutMs,
        onError: () => undefined,
        ...more,
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

    test("the schema is migrated through it, and no session keeps what the migration set", async () => {
      const through = open(pooler.port);
      const [before] = await through.query(
        "select current_setting('search_path') as path, current_setting('lock_timeout') as wait",
      );

      const results = await Promise.all([1, 2].map(() => migrate(through, { folder: schemaFolder() })));

      expect(results.flatMap(({ applied }) => applied)).toEqual(
        (await readMigrations(schemaFolder())).map(({ name }) => name),
      );
      expect(await pendingMigrations(through, { folder: schemaFolder() })).toEqual([]);
      for (let index = 0; index < 6; index += 1)
        expect(
          await through.query("select current_setting('search_path') as path, current_setting('lock_timeout') as wait"),
        ).toEqual([before]);
      await through.close();
    });

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

    test("a pool with limits of its own keeps them there, and leaves them to nobody else", async () => {
      const [own, other] = [open(pooler.port, 250, { pooledLimits: "own" }), open(pooler.port)];
      const limit = "select current_setting('statement_timeout') as limit, pg_sleep(0.05)";
      const limits = async (database: Database) =>
        new Set((await Promise.all(Array.from({ length: 12 }, () => database.query(limit)))).flat().map(limitOf));

      for (const ended of await Promise.allSettled([
        own.query("select pg_sleep(60)"),
        own.transaction((tx) => tx.query("select pg_sleep(60)")),
      ]))
        expect(ended).toMatchObject({ status: "rejected", reason: { code: "57014" } });
      expect(await limits(own)).toEqual(new Set(["250ms"]));
      expect(await limits(other)).toEqual(new Set(["5s"]));
      await Promise.all([own.close(), other.close()]);
    });

    test("the isolation level that a role's sessions begin with is found, whatever ours was told", async () => {
      await run("alter role tollgate set default_transaction_isolation = 'serializable'");
      const database = open(cluster.port);
      expect((await database.inspect())?.sessionDefaults.isolation).toBe("serializable");

      await run("alter role tollgate reset default_transaction_isolation");
      await database.close();
    });

    /** Calls that overlap, so that the pooler spreads them over its sessions; answers the statements that these remember. */
    async function sendOften(more: Partial<PostgresOptions>): Promise<string[]> {
      const database = open(pooler.port, 5_000, more);
      const call = async (value: number): Promise<unknown> => {
        const [row] = await database.query<{ value: number }>(OFTEN, [value], PREPARED);
        return row?.value;
      };
      for (let round = 0; round < 20; round++) {
        // Not as many in each round, or each connection would meet the same session again.
        const values = Array.from({ length: 1 + ((round * 5) % 6) }, (_, place) => round * 6 + place);
        expect(await Promise.all(values.map(call))).toEqual(values);
      }
      const remembered = await database.query<{ statement: string }>("select statement from pg_prepared_statements");
      await database.close();
      return remembered.map(({ statement }) => statement);
    }

    test("statements are not prepared through a pooler, whatever it carries", async () => {
      const unprepared: unknown[] = [];

      expect(await sendOften({ onUnprepared: (error) => unprepared.push(error) })).toEqual([]);
      expect(unprepared).toEqual([]);
    });

    test("a pooler that does not carry prepared statements is noticed, and no call fails for it", async () => {
      const unprepared: unknown[] = [];
      const notice = { preparedStatements: "on", onUnprepared: (error: Error) => unprepared.push(error) } as const;
      // Which session meets which statement is the pooler's choice: sooner or later one meets one that it does not know.
      for (let time = 0; time < 20 && unprepared.length === 0; time++) await sendOften(notice);

      expect(unprepared).toHaveLength(1);
      expect(["26000", "42P05"]).toContain((unprepared[0] as { code: string }).code);
    });
  },
);
