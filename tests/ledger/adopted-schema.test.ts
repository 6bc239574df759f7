import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { type Database, LINE } from "../../src/db/database.ts";
import { migrate, pendingMigrations } from "../../src/db/schema/migrate.ts";
import { createPglite } from "../../src/db/pglite/pglite.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { readFunctions, schemaFolder } from "../../src/db/schema-files.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { verify } from "../../src/ledger/verify/verify.ts";
import { createVerifyStore } from "../../src/ledger/verify/verify-store.ts";
import { askOf, creditsOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { until } from "../support/until.ts";
import { type Cluster, runAsServer, startCluster, whyUnavailable } from "../support/postgres.ts";

const ROOT = join(import.meta.dirname, "../..");
const limits = { poolSize: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000, onError: () => undefined };
/** The last commit in which tables and functions came from one list of migrations. */
const BEFORE = "0328a28e42250b585a5ea43eb48047a35d93aab0";
/** In an order in which they can be run. */
const ROOMS = "line accounts people keys catalogue ledger reports notices entrance audit live records".split(" ");

const git = (...words: string[]): string =>
  execFileSync("git", words, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 });

const oldMigrations = git("ls-tree", "--name-only", BEFORE, "migrations/")
  .trim()
  .split("\n")
  .map((path) => ({ name: basename(path, ".sql"), sql: git("show", `${BEFORE}:${path}`) }));

let scratch: string;
let cluster: Cluster;
const opened: Database[] = [];
const open = async (name: string): Promise<Database> => {
  const superuser = createPostgres({ url: cluster.superuserUrl, ...limits });
  await superuser.query(`create database ${name}`);
  await superuser.close();
  const database = createPostgres({ url: cluster.url(name), ...limits });
  opened.push(database);
  return database;
};

const dumpOf = async (name: string): Promise<string> => {
  const path = join(cluster.dataFolder, `${name}.sql`);
  await runAsServer("sh", [
    "-c",
    `'${join(cluster.binFolder, "pg_dump")}' --schema-only -h 127.0.0.1 -p ${cluster.port} -U postgres -f '${path}' ${name}`,
  ]);
  return readFileSync(path, "utf8").replaceAll(/^\\(un)?restrict .*$/gm, "");
};

/** As a program of then migrated it: each file in a transaction of its own. */
async function asThen(database: Database, upTo: number): Promise<void> {
  await database.script(
    "create table migration (number int primary key, name text not null, sha256 text not null, applied_at timestamptz not null default clock_timestamp())",
  );
  for (const [index, { name, sql }] of oldMigrations.slice(0, upTo).entries()) {
    await database.script(sql);
    await database.query(
      "insert into migration (number, name, sha256) values ($1, $2, encode(sha256(convert_to($3, 'utf8')), 'hex'))",
      [index + 1, name, sql],
    );
  }
}

/** A key with money, and a model whose tokens cost one nano-credit each. */
async function keyOf(database: Database): Promise<LoneKey> {
  await database.script(`
    insert into model (id, owned_by, provider, max_output_tokens) values ('m', 'a', 'p', 100000);
    insert into price (model_id, version, effective_from, input_nano, output_nano) values ('m', 1, now(), 1000000, 1000000)`);
  return loneKey(database, { funds: 20n });
}

async function spend(database: Database, key: LoneKey): Promise<unknown> {
  const ledger = createLedgerStore(database);
  const ask = askOf(key);
  const [admitted] = await ledger.admit(createId(Date.now()), [ask]);
  if (admitted?.kind !== "admitted") return admitted;
  const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
  return (await ledger.settle([endOf(ask, { record })]))[0];
}

/** The same as programs of then settled it. */
async function spendAsThen(database: Database, key: LoneKey): Promise<boolean | undefined> {
  const ask = askOf(key);
  const [admitted] = await createLedgerStore(database).admit(createId(Date.now()), [ask]);
  expect(admitted?.kind).toBe("admitted");
  const sql =
    "select settle_turn_v1($1::uuid, $2::uuid, $3::uuid, 7, null, 3, 0, 0, 0, 4, 0, null, null, 200, 1, 2, false, null) as done";
  const [row] = await database.query<{ done: boolean }>(sql, [LINE, ask.id, ask.keyId]);
  return row?.done;
}

const books = async (database: Database): Promise<unknown> => {
  const { ok, mismatches, charges } = await verify(createVerifyStore(database), {
    keyId: null,
    recompute: true,
    onProgress: () => undefined,
  });
  return { ok, mismatches, charges };
};

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "tollgate-schema-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.skipIf(whyUnavailable("15", "pg_dump") !== null)("the schema", () => {
  let migrated: string;
  beforeAll(async () => {
    cluster = await startCluster({ durable: false });
    await migrate(await open("migrated"), { folder: schemaFolder() });
    migrated = await dumpOf("migrated");
  });
  afterAll(async () => {
    for (const database of opened) await database.close();
    await cluster?.close();
  });

  test("tables as schema/tables has them are the tables that the migrations make", async () => {
    expect(globSync("*.sql", { cwd: join(ROOT, "schema/tables") }).sort()).toEqual(
      ROOMS.map((room) => `${room}.sql`).sort(),
    );
    const folder = join(scratch, "declared");
    cpSync(join(ROOT, "schema/functions"), join(folder, "functions"), { recursive: true });
    cpSync(join(ROOT, "schema/edition.json"), join(folder, "edition.json"));
    mkdirSync(join(folder, "migrations"));
    const declared = ROOMS.map((room) => readFileSync(join(ROOT, `schema/tables/${room}.sql`), "utf8")).join("\n");
    writeFileSync(join(folder, "migrations/0001_declared.sql"), declared);

    await migrate(await open("declared"), { folder });

    expect(await dumpOf("declared")).toBe(migrated);
  });

  test.each([25, 26, 31, 33, 38])("a database that was migrated up to %i is adopted with its books", async (upTo) => {
    const name = `from_${upTo}`;
    const database = await open(name);
    await asThen(database, upTo);
    const key = await keyOf(database);
    expect(await spendAsThen(database, key)).toBe(true);
    const pending = await pendingMigrations(database, { folder: schemaFolder() });
    expect(pending).toContain("0039_baseline");

    const { applied, functions, newer } = await migrate(database, { folder: schemaFolder() });

    expect({ applied, newer }).toEqual({ applied: pending.slice(0, -1), newer: null });
    expect(functions.length).toBe((await readFunctions(schemaFolder())).length);
    expect(await dumpOf(name)).toBe(migrated);
    expect(await pendingMigrations(database, { folder: schemaFolder() })).toEqual([]);
    expect(await spend(database, key)).toEqual({ kind: "settled", charged: creditsOf(7n) });
    expect(await books(database)).toEqual({ ok: true, mismatches: [], charges: 2 });
  });

  test("adoption waits for a partition of the charges without keeping requests from other tables", async () => {
    const database = await open("busy");
    await asThen(database, 25);
    const blocker = createPostgres({ url: cluster.url("busy"), ...limits });
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = blocker.transaction(async (tx) => {
      await tx.script("lock table charge_other in share update exclusive mode");
      held.resolve();
      await release.promise;
    });
    await held.promise;

    const migrating = migrate(database, { folder: schemaFolder() });
    await until(async () => {
      const [row] = await blocker.query<{ waits: boolean }>(
        "select exists (select from pg_locks where not granted and relation = 'charge_other'::regclass) as waits",
      );
      return row?.waits === true;
    }, "the adoption waits for the partition");
    const locked = await blocker.query(
      "select relation::regclass::text as name from pg_locks where mode = 'AccessExclusiveLock' and granted and relation = any (array['borne', 'notice', 'person', 'provider']::regclass[])",
    );
    release.resolve();
    await holding;
    await blocker.close();

    expect(locked).toEqual([]);
    expect(await migrating).toMatchObject({ newer: null });
    expect(await dumpOf("busy")).toBe(migrated);
  });

  test("one that a superuser adopts belongs to its owner, who can migrate it again", async () => {
    const superuser = await open("handed");
    await superuser.script("create role keeper login; alter database handed owner to keeper");
    const owner = createPostgres({ url: cluster.urlAs("keeper", "handed"), ...limits });
    await asThen(owner, 38);

    await migrate(superuser, { folder: schemaFolder() });

    expect(await migrate(owner, { folder: schemaFolder() })).toMatchObject({ applied: [], functions: [], newer: null });
    const others = await owner.query(
      "select relname from pg_class where relnamespace = 'public'::regnamespace and pg_get_userbyid(relowner) <> 'keeper'",
    );
    await owner.close();
    expect(others).toEqual([]);
  });

  test("one that is older, or whose migrations are not those of then, is refused by name and left as it is", async () => {
    const old = await open("too_old");
    await asThen(old, 24);
    await expect(migrate(old, { folder: schemaFolder() })).rejects.toThrow(
      "the database is at 0024_lone_calls, and this program adopts one from 0025_balances_in_order on; migrate it with a version that has that one first",
    );
    const changed = await open("changed");
    await asThen(changed, 25);
    await changed.query("update migration set sha256 = 'other' where number = 7");
    const before = await dumpOf("changed");
    await expect(migrate(changed, { folder: schemaFolder() })).rejects.toThrow(
      "0007_ledger_fund was applied to the database with other content than this program knows, so the database cannot be adopted. Nothing was changed.",
    );
    expect(await dumpOf("changed")).toBe(before);
  });
});

test("the embedded database is adopted, too", async () => {
  const database = await createPglite({ dataFolder: null });
  await asThen(database, 25);
  const key = await keyOf(database);
  expect(await spendAsThen(database, key)).toBe(true);

  await migrate(database, { folder: schemaFolder() });

  expect(await spend(database, key)).toEqual({ kind: "settled", charged: creditsOf(7n) });
  expect(await books(database)).toEqual({ ok: true, mismatches: [], charges: 2 });
  await database.close();
});
