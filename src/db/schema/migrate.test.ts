import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../../tests/support/postgres.ts";
import type { Database } from "../database.ts";
import { migrate, pendingMigrations, readSchemaState } from "./migrate.ts";
import { editionOf, readFunctions, readMigrations, schemaFolder } from "../schema-files.ts";
import { createPglite } from "../pglite/pglite.ts";
import { createPostgres } from "../postgres/postgres.ts";

const limits = { poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 20_000, onError: () => undefined };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-schema-"));
  await mkdir(join(folder, "migrations"));
  await mkdir(join(folder, "functions"));
  await write("0001_first.sql", "create table first (id int); insert into first values (1);");
  await write("0002_second.sql", "alter table first\n  add column note text;\n");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, sql: string) => writeFile(join(folder, "migrations", name), sql);

const defines = (name: string, rest: string) =>
  writeFile(join(folder, "functions", `${name}.sql`), `create or replace function ${name}${rest};`);
const answers = (name: string, value: number) => defines(name, `() returns int language sql as 'select ${value}'`);

/** What `npm run schema` writes. */
async function issue(edition: number, servesFrom?: number): Promise<void> {
  const sha256 = editionOf(await readFunctions(folder));
  await writeFile(join(folder, "edition.json"), JSON.stringify({ edition, sha256, servesFrom }));
}

/** Takes back what later versions added, as in the folder of an older one. */
async function beOlder(...later: string[]): Promise<void> {
  for (const name of later) await rm(join(folder, "migrations", name));
}

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

  test("a migration that fails leaves nothing of itself, nor of those that were pending before it", async () => {
    await migrate(database, { folder });
    await write("0003_fine.sql", "create table third (id int);");
    await write("0004_broken.sql", "create table fourth (id int); select 1 / 0;");

    await expect(migrate(database, { folder })).rejects.toMatchObject({ code: "22012" });

    expect(await pendingMigrations(database, { folder })).toEqual(["0003_fine", "0004_broken"]);
    expect(await database.query("select to_regclass('third')::text as third")).toEqual([{ third: null }]);
  });

  test("a file changed after it was applied is refused by name; other line endings are no change", async () => {
    await migrate(database, { folder });
    await write("0002_second.sql", "alter table first\r\n  add column note text;\r\n");
    expect(await pendingMigrations(database, { folder })).toEqual([]);

    await write("0002_second.sql", "alter table first add column other text;");

    await expect(migrate(database, { folder })).rejects.toThrow("0002_second was changed after it was applied");
  });

  test("an older program changes nothing and says what it does not know", async () => {
    await answers("told", 2);
    await issue(2);
    await migrate(database, { folder });
    await rm(join(folder, "migrations/0002_second.sql"));
    await answers("told", 1);
    await issue(1);

    const migrated = await migrate(database, { folder, roles: { servingRole: "nobody" } });

    const newer = { name: "0002_second", serves: false, program: null };
    expect(migrated).toEqual({ applied: [], functions: [], current: "0001_first", newer });
    await expect(pendingMigrations(database, { folder })).rejects.toThrow(
      "the database is newer than this program: it has 0002_second, with which this program cannot serve; install the version that applied it",
    );
    expect(await database.query("select told()")).toEqual([{ told: 2 }]);
  });

  test("an older program serves on migrations that say so, and leaves them as they are", async () => {
    await write(
      "0003_third.sql",
      "-- Why: to see.\n-- Compatible: programs from 0001 on.\ncreate table third (id int);",
    );
    await write("0004_fourth.sql", "-- Compatible: programs from 0002 on.\ncreate table fourth (id int);");
    await migrate(database, { folder, program: "0.4.0 (abc)" });
    await beOlder("0003_third.sql", "0004_fourth.sql");

    const newer = { name: "0003_third", serves: true, program: "0.4.0 (abc)" };
    expect(await readSchemaState(database, { folder })).toEqual({ pending: [], newer });
    expect(await migrate(database, { folder, program: "0.2.0" })).toMatchObject({ applied: [], newer });
    expect(await pendingMigrations(database, { folder })).toEqual([]);

    await beOlder("0002_second.sql");
    await expect(pendingMigrations(database, { folder })).rejects.toThrow(
      "the database is newer than this program: it has 0002_second, with which this program cannot serve; install Tollgate 0.4.0 (abc) or newer",
    );
  });

  test("one migration in the way is enough, whatever those after it say, and the version to install is the last", async () => {
    await write("0003_third.sql", "create table third (id int);");
    await migrate(database, { folder, program: "0.3.0" });
    await write("0004_fourth.sql", "-- Compatible: programs from 0002 on.\ncreate table fourth (id int);");
    await migrate(database, { folder, program: "0.4.0" });
    await beOlder("0003_third.sql", "0004_fourth.sql");

    expect(await readSchemaState(database, { folder })).toMatchObject({
      newer: { name: "0003_third", serves: false, program: "0.4.0" },
    });
  });

  test("a database whose migrations an earlier version noted gets the columns, and what is in them counts as silent", async () => {
    await answers("told", 1);
    await issue(1);
    await migrate(database, { folder, program: "0.1.0" });
    await database.script(`
      alter table migration drop column serves_from, drop column program;
      alter table function_edition drop column serves_from, drop column program`);
    expect(await readSchemaState(database, { folder })).toEqual({ pending: [], newer: null });
    await write("0003_third.sql", "-- Compatible: programs from 0001 on.\ncreate table third (id int);");

    expect(await migrate(database, { folder, program: "0.2.0" })).toMatchObject({ applied: ["0003_third"] });

    expect(await database.query("select number, serves_from, program from migration order by number")).toEqual([
      { number: 1, serves_from: null, program: null },
      { number: 2, serves_from: null, program: null },
      { number: 3, serves_from: 1, program: "0.2.0" },
    ]);
    await beOlder("0003_third.sql", "0002_second.sql");
    expect(await readSchemaState(database, { folder })).toMatchObject({
      newer: { name: "0002_second", serves: false },
    });
  });

  test("a program whose functions alone are older serves if they say so, and leaves them as they are", async () => {
    await answers("told", 2);
    await issue(2, 1);
    await migrate(database, { folder });
    await answers("told", 1);
    await issue(1);

    const newer = { name: "functions of edition 2", serves: true };
    expect(await migrate(database, { folder })).toMatchObject({ functions: [], newer });
    expect(await pendingMigrations(database, { folder })).toEqual([]);
    expect(await database.query("select told()")).toEqual([{ told: 2 }]);
  });

  test("a program that calls functions which are gone does not serve, whatever later editions say", async () => {
    for (const [edition, servesFrom] of [
      [2, 2],
      [3, 1],
    ] as const) {
      await answers("told", edition);
      await issue(edition, servesFrom);
      await migrate(database, { folder, program: `0.${edition}.0` });
    }
    await answers("told", 1);
    await issue(1);

    await expect(pendingMigrations(database, { folder })).rejects.toThrow(
      "it has functions of edition 2, with which this program cannot serve; install Tollgate 0.3.0 or newer",
    );
  });

  test("functions that have changed are defined anew, those without a file removed, and the others not touched", async () => {
    for (const name of ["changed", "gone", "same"]) await answers(name, 1);
    await issue(1);
    const idOf = async (name: string) =>
      (await database.query("select xmin from pg_proc where proname = $1", [name]))[0];
    expect(await migrate(database, { folder })).toMatchObject({ functions: ["changed", "gone", "same"] });
    const before = await idOf("same");
    await answers("changed", 2);
    await rm(join(folder, "functions/gone.sql"));
    await issue(2);
    expect(await pendingMigrations(database, { folder })).toEqual(["functions of edition 2"]);

    expect(await migrate(database, { folder })).toMatchObject({ applied: [], functions: ["changed", "gone"] });

    expect(await database.query("select changed()")).toEqual([{ changed: 2 }]);
    expect(await idOf("gone")).toBeUndefined();
    expect(await idOf("same")).toEqual(before);
    expect(await pendingMigrations(database, { folder })).toEqual([]);
    expect(await migrate(database, { folder })).toMatchObject({ applied: [], functions: [] });
  });

  test("of two editions of one number the last one is there, whole", async () => {
    await answers("told", 1);
    await issue(1);
    await migrate(database, { folder });
    await answers("told", 2);
    await issue(1);

    expect(await migrate(database, { folder })).toMatchObject({ functions: ["told"] });
    expect(await migrate(database, { folder })).toMatchObject({ functions: [] });
    expect(await database.query("select told()")).toEqual([{ told: 2 }]);
  });

  test("a function of other arguments or another answer takes the place of the one before", async () => {
    await answers("wider", 1);
    await answers("other", 1);
    await issue(1);
    await migrate(database, { folder });
    await defines("wider", "(p int) returns int language sql as 'select p'");
    await defines("other", "() returns text language sql as $$select 'o'$$");
    await issue(2);

    await migrate(database, { folder });

    const found = await database.query(
      "select oid::regprocedure::text as f from pg_proc where proname in ('wider', 'other') order by 1",
    );
    expect(found).toEqual([{ f: "other()" }, { f: "wider(integer)" }]);
    expect(await database.query("select other(), wider(3)")).toEqual([{ other: "o", wider: 3 }]);
  });

  test("functions that somebody else made stay, also under a name of ours", async () => {
    await defines(
      "wider",
      "(p int default length('a, b'), q text default ', )', out r int) language sql as 'select p'",
    );
    await answers("gone", 1);
    await issue(1);
    await migrate(database, { folder });
    await database.script(`
      create function wider(text) returns int language sql as 'select 7';
      create function gone(int, int) returns int language sql as 'select 7';
      create function theirs() returns int language sql as 'select 7'`);
    await defines("wider", "(p bigint) returns bigint language sql as 'select p'");
    await rm(join(folder, "functions/gone.sql"));
    await issue(2);

    await migrate(database, { folder });

    const found = await database.query<{ f: string }>(
      "select oid::regprocedure::text as f from pg_proc where pronamespace = 'public'::regnamespace order by 1",
    );
    expect(found.map(({ f }) => f)).toEqual(["gone(integer,integer)", "theirs()", "wider(bigint)", "wider(text)"]);
  });

  test("the edition with the highest number counts, though the clock of another server was behind", async () => {
    await answers("told", 1);
    await issue(1);
    await migrate(database, { folder });
    await answers("told", 2);
    await issue(2);
    await migrate(database, { folder });
    await database.query("update function_edition set applied_at = applied_at - interval '1 hour' where edition = 2");

    expect(await pendingMigrations(database, { folder })).toEqual([]);
    await answers("told", 3);
    await issue(1);
    const newer = { name: "functions of edition 2" };
    expect(await migrate(database, { folder })).toMatchObject({ functions: [], newer });
  });

  test("everything goes where the tables are, though another schema comes before it since", async () => {
    await answers("told", 1);
    await issue(1);
    await migrate(database, { folder });
    await database.script('create schema "$earlier"');
    const url = new URL(fresh.url);
    url.searchParams.set("options", "-c search_path=$earlier,public");
    const later = createPostgres({ url: url.href, ...limits });
    await answers("told", 2);
    await issue(2);
    await write("0003_third.sql", "create table third (id int);");

    await migrate(later, { folder });
    await later.close();

    expect(await database.query("select told(), to_regclass('public.third') is not null as third")).toEqual([
      { told: 2, third: true },
    ]);
    expect(
      await database.query("select relname from pg_class where relnamespace = '\"$earlier\"'::regnamespace"),
    ).toEqual([]);
  });

  test("functions are there when a table needs them, and tables when a function does", async () => {
    await defines("early", "() returns int language plpgsql as 'begin return (select count(*) from first); end'");
    await defines("late", "(p second) returns int language sql as 'select p.number'");
    await write("0003_both.sql", "create table second (number int default early());");
    await issue(1);

    await migrate(database, { folder });

    await database.query("insert into second default values");
    expect(await database.query("select late(s) from second s")).toEqual([{ late: 1 }]);
  });

  test("tables and functions change together or not at all", async () => {
    await answers("told", 1);
    await issue(1);
    await migrate(database, { folder });
    await answers("told", 2);
    await defines("wrong", "(p nothing_like_it) returns int language sql as 'select 1'");
    await issue(2);
    await write("0003_third.sql", "create table third (id int);");

    await expect(migrate(database, { folder })).rejects.toMatchObject({ code: "42704" });

    expect(await database.query("select told(), to_regclass('third')::text as third")).toEqual([
      { told: 1, third: null },
    ]);
  });

  test("nobody who calls meanwhile meets an error, or some functions of one edition and some of the other", async () => {
    const edition = async (number: number) => {
      await answers("half", number);
      await defines("whole", `() returns text language sql as $$select half() || '-${number}'$$`);
      await issue(number);
    };
    await edition(1);
    await migrate(database, { folder });
    const callers = createPostgres({ url: fresh.url, ...limits });
    const heard = new Set<string>();
    let done = false;
    const calling = Array.from({ length: 2 }, async () => {
      while (!done) for (const { whole } of await callers.query<{ whole: string }>("select whole()")) heard.add(whole);
    });
    for (let number = 2; number <= 6; number++) {
      await edition(number);
      await migrate(database, { folder });
    }
    done = true;
    await Promise.all(calling);
    await callers.close();

    expect([...heard].filter((whole) => whole[0] !== whole.at(-1))).toEqual([]);
    expect(heard.size).toBeGreaterThan(1);
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

  const first = await migrate(database, { folder: schemaFolder(), onStep: ({ name }) => steps.push(name) });
  const again = await migrate(database, { folder: schemaFolder() });
  await database.close();

  expect(steps).toEqual(first.applied);
  expect(first.applied).toEqual((await readMigrations(schemaFolder())).map(({ name }) => name));
  expect(first.functions.length).toBe((await readFunctions(schemaFolder())).length);
  expect(again).toEqual({ applied: [], functions: [], current: first.current, newer: null });
});

test("functions without an edition are refused, since nobody would define them", async () => {
  await answers("told", 1);
  const database = await createPglite({ dataFolder: null });

  await expect(migrate(database, { folder })).rejects.toThrow(`${folder} has functions and no edition.json`);
  await database.close();
});

test.each([
  ["-- Compatible: programs from 0003 on.", "0002_second says programs from 0003 on, which is after itself"],
  ["-- Compatible: programs from 1 on.", "0002_second must say once: -- Compatible: programs from NNNN on."],
  ["-- compatible with 0001", "0002_second must say once"],
  ["-- Compatible: programs from 0001 on.\n-- Compatible: programs from 0002 on.", "0002_second must say once"],
])("a migration that says it in other words is refused: %s", async (line, problem) => {
  await write("0002_second.sql", `${line}\ncreate table second (id int);`);

  await expect(readMigrations(folder)).rejects.toThrow(problem);
});

test("a migration that says nothing is compatible with no older program", async () => {
  await write("0003_third.sql", "-- Compatible: programs from 0001 on.\n");

  expect((await readMigrations(folder)).map(({ servesFrom }) => servesFrom)).toEqual([1, 2, 1]);
});

test("a number that is missing or used twice, and a name without a number, are refused", async () => {
  await write("0004_fourth.sql", "");
  await expect(readMigrations(folder)).rejects.toThrow("migration 3 is missing: 0004_fourth");

  await cp(join(folder, "migrations/0002_second.sql"), join(folder, "migrations/0002_twice.sql"));
  await expect(readMigrations(folder)).rejects.toThrow("0002_second and 0002_twice have the same number");

  await write("5_fifth.sql", "");
  await expect(readMigrations(folder)).rejects.toThrow("5_fifth.sql is not named like");
});

test("every migration of this package begins by saying why, and which locks it takes", async () => {
  for (const { name, sql } of await readMigrations(schemaFolder())) {
    expect(sql, name).toMatch(/^-- Why: .+\n(-- .+\n)*-- Locks: /);
  }
});
