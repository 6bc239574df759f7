import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { LineRefusedError } from "../../src/db/database-error.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres, type PostgresOptions } from "../../src/db/postgres/postgres.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { Funding } from "../../src/ledger/ledger.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { startPgbouncer, whyNoPgbouncer } from "../support/pgbouncer.ts";
import { poolerConfiguration } from "../support/pooler-page.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";
import { promote, startStandbyOf } from "../support/postgres-standby.ts";
import { startSwitch } from "../support/tcp-switch.ts";
import { until } from "../support/until.ts";

const KEY = "00000000-0000-7000-8000-000000000001";
const FUNDED = 1_000n;
/** The same in every copy of the books. */
let key: LoneKey | null = null;
const limits = { poolSize: 1, connectTimeoutMs: 3_000, statementTimeoutMs: 10_000, onError: () => undefined };

describe.skipIf(whyUnavailable("15", "pg_basebackup") !== null)(
  "a standby is promoted and the old primary goes on taking writes",
  () => {
    let old: Cluster;
    let promoted: Cluster;
    /** Promoted as well, to the same timeline. */
    let twin: Cluster;
    let databases = 0;
    let books = "";
    const opened: Database[] = [];

    const connect = (hosts: readonly Cluster[], options: Partial<PostgresOptions> = {}): Database => {
      const list = hosts.map(({ port }) => `127.0.0.1:${port}`).join(",");
      const database = createPostgres({ url: `postgres://postgres@${list}/${books}`, ...limits, ...options });
      opened.push(database);
      return database;
    };

    beforeAll(async () => {
      old = await startCluster();
      const admin = createPostgres({ url: old.superuserUrl, ...limits, statementTimeoutMs: 30_000 });
      await admin.query("create database template_books");
      books = "template_books";
      const owner = connect([old]);
      await migrate(owner, { folder: schemaFolder() });
      key = await loneKey(owner, { keyId: KEY, funds: FUNDED });
      await owner.close();
      // One set of books for each test; which timeline a server is on is the same for all.
      for (let n = 0; n < 11; n++) await admin.query(`create database books_${n} template template_books`);
      await admin.close();
      [promoted, twin] = await Promise.all([startStandbyOf(old), startStandbyOf(old)]);
      await Promise.all([promote(promoted), promote(twin)]);
    });
    beforeEach(() => {
      books = `books_${databases++}`;
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((database) => database.close()));
    });
    afterAll(async () => {
      await twin?.close();
      await promoted?.close();
      await old?.close();
    });

    const portOf = async (database: Database): Promise<number> => {
      const [row] = await database.query<{ port: string }>("select current_setting('port') as port");
      return Number(row?.port);
    };

    test("processes that reach both follow the higher timeline, and the balance is spent once", async () => {
      const ports = new Set<number>();
      let spent = 0n;
      for (let process = 0; process < 12; process++) {
        const database = connect(process % 2 === 0 ? [promoted, old] : [old, promoted]);
        ports.add(await portOf(database));
        spent += await spend(database, 250n);
      }

      expect([...ports]).toEqual([promoted.port]);
      expect(spent).toBe(FUNDED);
    });

    test("once one process has seen both, the old primary takes money from nobody, whoever reaches nothing else", async () => {
      const lone = connect([old]);
      expect(await spend(lone, 1n)).toBe(1n);
      const refusals: string[] = [];
      await connect([old, promoted], { onRefused: ({ message }) => refusals.push(message) }).ping();

      await expect(spend(lone, 1n)).rejects.toMatchObject({
        code: "08T01",
        message: expect.stringContaining("on timeline 1, and the books have been on timeline 2"),
      });
      await expect(connect([old]).query("select 1")).rejects.toThrow(
        /timeline 1, but the ledger has been on timeline 2 elsewhere.*tollgate ledger adopt/,
      );
      expect(refusals[0]).toMatch(
        /is on timeline 1, and .* is on timeline 2\. It is an old primary that still takes writes/,
      );
    });

    test("an old primary loses the books only after the calls under way, and those that come meanwhile are refused", async () => {
      const lone = connect([old], { poolSize: 3 });
      const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like $1 and datname = $2";
      const waits = (query: string) =>
        until(async () => (await lone.query(waiting, [query, books])).length === 1, `${query} waits`);

      const later = await lone.transaction(async (tx) => {
        await createLedgerStore(tx).fund(funding("under way", 5n));
        const turned = connect([old, promoted]).ping();
        await waits("%supersede_line_v1%");
        const refused = createLedgerStore(lone).fund(funding("meanwhile", 7n));
        refused.catch(() => undefined);
        await waits("%fund_v1%");
        return { turned, refused };
      });

      await later.turned;
      await expect(later.refused).rejects.toMatchObject({ code: "08T01" });
      const paid = await connect([old], { strangers: "read" }).query(
        "select reference from funding order by reference",
      );
      expect(paid).toEqual([{ reference: `p ${KEY}` }, { reference: "under way" }]);
    });

    test("an old primary whose calls wait for a standby that is gone is told all the same, and none of them is acknowledged", async () => {
      const lone = connect([old]);
      await lone.ping();
      await onServer(old, "alter system set synchronous_standby_names = 'gone'", "select pg_reload_conf()");
      try {
        const watcher = connect([old], { strangers: "read" });
        const spent = spend(lone, 1n).then(String, () => "not acknowledged");
        const waiting = "select from pg_stat_activity where wait_event = 'SyncRep' and datname = $1";
        await until(async () => (await watcher.query(waiting, [books])).length > 0, "the call waits");

        expect(await portOf(connect([old, promoted]))).toBe(promoted.port);
        expect(await watcher.query("select superseded_by as by from server_line")).toEqual([{ by: 2 }]);
        expect(await spent).toBe("not acknowledged");
      } finally {
        await onServer(old, "alter system reset synchronous_standby_names", "select pg_reload_conf()");
      }
    });

    test("two servers promoted to one timeline are both refused by who sees both", async () => {
      await expect(connect([promoted, twin]).query("select 1")).rejects.toThrow(
        /two servers take writes on timeline 2: .* Stop one/,
      );
    });

    test("two servers promoted to one timeline are told apart by who sees one after the other", async () => {
      const proxy = await startSwitch(promoted.port);
      const database = createPostgres({ url: `postgres://postgres@127.0.0.1:${proxy.port}/${books}`, ...limits });
      expect(await spend(database, 100n)).toBe(100n);
      expect(await spend(connect([twin]), 100n)).toBe(100n);

      proxy.turnTo(twin.port);
      await expect(spend(database, 100n)).rejects.toThrow();

      await expect(spend(database, 100n)).rejects.toThrow(/two servers take writes on timeline 2\. Stop one/);
      await database.close();
      await proxy.close();
    });

    test("a process behind one address follows a promotion and does not go back", async () => {
      const moves: unknown[] = [];
      const proxy = await startSwitch(old.port);
      const url = `postgres://postgres@127.0.0.1:${proxy.port}/${books}`;
      const database = createPostgres({ url, ...limits, onMoved: (move) => moves.push(move) });
      expect(await spend(database, 100n)).toBe(100n);

      proxy.turnTo(promoted.port);
      await expect(spend(database, 100n)).rejects.toThrow();
      expect(await spend(database, 100n)).toBe(100n);
      expect(moves).toEqual([{ from: 1, to: 2 }]);

      proxy.turnTo(old.port);
      await expect(database.ping()).rejects.toThrow();
      await expect(database.ping()).rejects.toThrow(/it is on timeline 1, but the ledger is on timeline 2/);
      await expect(spend(database, 100n)).rejects.toThrow(LineRefusedError);
      await database.close();
      await proxy.close();
    });

    test("a statement that a pooler sends to the other server is refused there", async () => {
      const [followed] = await connect([promoted]).query<{ mark: string }>("select mark from server_line");
      const elsewhere = connect([old]);

      await expect(elsewhere.query("select on_line_v1($1::uuid, 1)", [followed?.mark])).rejects.toMatchObject({
        code: "08T01",
        message: "this server, on timeline 1, is not the one that the gateway follows",
      });
      expect(await elsewhere.query("select on_line_v1(null, 1) as passed")).toEqual([{ passed: 1 }]);
    });

    test("the first to come after a promotion waits for no standby", async () => {
      const database = connect([promoted], { strangers: "read" });
      await database.query("update server_line set timeline = 1");
      await onServer(promoted, "alter system set synchronous_standby_names = 'gone'", "select pg_reload_conf()");
      try {
        await until(
          async () => {
            const [row] = await database.query<{ names: string }>(
              "select current_setting('synchronous_standby_names') as names",
            );
            return row?.names === "gone";
          },
          "the server waits for a standby that is gone",
          10_000,
        );

        expect(await connect([promoted]).query("select 1 as one")).toEqual([{ one: 1 }]);
      } finally {
        await onServer(promoted, "alter system reset synchronous_standby_names", "select pg_reload_conf()");
      }
    });

    test.skipIf(whyNoPgbouncer() !== null)(
      "a pooler that turns to the old primary under open connections moves no money there",
      async () => {
        const behind = await startSwitch(promoted.port);
        const pooler = await startPgbouncer({
          configuration: (place) => poolerConfiguration({ ...place, serverPort: behind.port, database: books }),
          users: { postgres: "for-tests" },
        });
        const url = `postgres://postgres:for-tests@127.0.0.1:${pooler.port}/tollgate`;
        const database = createPostgres({ url, ...limits, poolSize: 3 });
        expect(await spend(database, 100n)).toBe(100n);

        behind.turnTo(old.port);
        const refusals = await Promise.all(
          Array.from({ length: 6 }, () => spend(database, 100n).then(String, (error: Error) => error.message)),
        );

        // PgBouncer itself ends clients whose server went away in a call; what gets through is refused by the old primary or here.
        for (const refusal of refusals) expect(refusal).not.toBe("100");
        await expect(spend(database, 100n)).rejects.toThrow(/on timeline 1/);
        expect(await connect([old]).query("select from charge")).toEqual([]);
        await database.close();
        await pooler.close();
        await behind.close();
      },
    );

    test("a call by hand goes on after a promotion, whoever comes first", async () => {
      const database = connect([promoted], { strangers: "read" });
      await database.query("update server_line set timeline = 1, mark = gen_random_uuid()");

      const funded = await database.query("select fund_v1($1, 'by hand', 'grant', 5, 'test') as kind", [key?.counter]);

      expect(funded).toEqual([{ kind: "funded" }]);
    });
  },
);

async function onServer({ superuserUrl }: Cluster, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const funding = (reference: string, amount: bigint): Funding => ({
  counter: made().counter,
  reference,
  kind: "purchase",
  amount,
  actor: "test",
});

function made(): LoneKey {
  if (!key) throw new Error("the key is made first");
  return key;
}

/** What the request paid; 0 when the balance did not allow it. */
async function spend(database: Database, amount: bigint): Promise<bigint> {
  const ledger = createLedgerStore(database);
  const ask = askOf(made(), { least: amount, most: amount, lifetimeMs: 60_000 });
  const [verdict] = await ledger.admit(createId(1), [ask]);
  if (verdict?.kind !== "admitted") return 0n;
  const [settled] = await ledger.settle([endOf(ask, { price: amount })]);
  return settled?.kind === "settled" ? (settled.charged.credits ?? 0n) : 0n;
}
