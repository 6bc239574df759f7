import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import type { Database } from "./database.ts";
import { migrate, migrationsFolder, pendingMigrations } from "./migrate.ts";
import { readMigrations } from "./migration-files.ts";
import { createPglite } from "./pglite.ts";
import { createPostgres } from "./postgres.ts";

const limits = { poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 20_000, onError: () => undefined };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-migrations-"));
  await write("0001_first.sql", "create table first (id int); insert into first values (1);");
  await write("0002_second.sql", "alter table first\n  add column note text;\n");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, sql: string) => writeFile(join(folder, name), sql);

describe.each(["15", "newest"] as const)("on PostgreSQL %s", (version) => {
  const reason = whyUnavailable(version);
  let fresh: FreshDatabase;
  let database: Database;
  beforeEach(async (context) => {
    context.skip(reason !== null, reason ?? "");
    fresh = await freshDatabase({ version, migrated: false });
    database = createPostgres({ url: fresh.url, ...limits });
  });
  afterEach(async () => {
    await database?.close();
    await fresh?.close();
  });

  test("ten processes that migrate at once apply each file once", async () => {
    await write("0001_first.sql", "create table first (id int); insert into first values (1); select pg_sleep(0.05);");
    const fleet = Array.from({ length: 10 }, () => createPostgres({ url: fresh.url, ...limits }));

    const results = await Promise.all(fleet.map((one) => migrate(one, { folder })));
    await Promise.all(fleet.map((one) => one.close()));

    expect(results.flatMap(({ applied }) => applied).sort()).toEqual(["0001_first", "0002_second"]);
    expect(new Set(results.map(({ current }) => current))).toEqual(new Set(["0002_second"]));
    expect(await database.query("select id from first")).toEqual([{ id: 1 }]);
  });

  test("a migration may take longer than any other statement", async () => {
    const hasty = createPostgres({ url: fresh.url, ...limits, statementTimeoutMs: 1_000 });
    await write("0003_slow.sql", "select pg_sleep(1.5);");

    const { current } = await migrate(hasty, { folder });
    await hasty.close();

    expect(current).toBe("0003_slow");
  });

  test("a migration that fails leaves nothing of itself, and those before it stay", async () => {
    await write("0003_broken.sql", "create table third (id int); select 1 / 0;");

    await expect(migrate(database, { folder })).rejects.toMatchObject({ code: "22012" });

    expect(await pendingMigrations(database, { folder })).toEqual(["0003_broken"]);
    expect(await database.query("select to_regclass('third')::text as third")).toEqual([{ third: null }]);
  });

  test("a file changed after it was applied is refused by name; other line endings are no change", async () => {
    await migrate(database, { folder });
    await write("0002_second.sql", "alter table first\r\n  add column note text;\r\n");
    expect(await pendingMigrations(database, { folder })).toEqual([]);

    await write("0002_second.sql", "alter table first add column other text;");

    await expect(migrate(database, { folder })).rejects.toThrow("0002_second was changed after it was applied");
  });

  test("a database newer than the program is refused", async () => {
    await migrate(database, { folder });
    await rm(join(folder, "0002_second.sql"));

    await expect(migrate(database, { folder })).rejects.toThrow(
      "the database is newer than this program: it has 0002_second",
    );
  });

  test("asking what is pending changes nothing", async () => {
    expect(await pendingMigrations(database, { folder })).toEqual(["0001_first", "0002_second"]);

    expect(await database.query("select to_regclass('migration')::text as found")).toEqual([{ found: null }]);
  });

  test("a server older than 15 is refused with its version", async () => {
    const old: Database = { ...database, query: async <Row>() => [{ version: "14.20" }] as Row[] };

    await expect(migrate(old, { folder })).rejects.toThrow("PostgreSQL 15 or newer is needed; this server is 14.20");
  });
});

test("the embedded database takes the same migrations, each told as it is done", async () => {
  const database = await createPglite({ dataFolder: null });
  const steps: string[] = [];

  const first = await migrate(database, { folder: migrationsFolder(), onStep: ({ name }) => steps.push(name) });
  const again = await migrate(database, { folder: migrationsFolder() });
  await database.close();

  expect(steps).toEqual(first.applied);
  expect(first.applied.length).toBe((await readdir(migrationsFolder())).length);
  expect(again).toEqual({ applied: [], current: first.current });
});

test("a number that is missing or used twice, and a name without a number, are refused", async () => {
  await write("0004_fourth.sql", "");
  await expect(readMigrations(folder)).rejects.toThrow("migration 3 is missing: 0004_fourth");

  await cp(join(folder, "0002_second.sql"), join(folder, "0002_twice.sql"));
  await expect(readMigrations(folder)).rejects.toThrow("0002_second and 0002_twice have the same number");

  await write("5_fifth.sql", "");
  await expect(readMigrations(folder)).rejects.toThrow("5_fifth.sql is not named like");
});

test("every migration of this package begins by saying why, and which locks it takes", async () => {
  for (const { name, sql } of await readMigrations(migrationsFolder())) {
    expect(sql, name).toMatch(/^-- Why: .+\n(-- .+\n)*-- Locks: /);
  }
});
