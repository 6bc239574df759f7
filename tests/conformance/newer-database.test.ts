import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { childEnvironment } from "../support/child-environment.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";

const NEXT = "insert into migration (number, name, sha256) select max(number) + 1, 'next', 'other' from migration";
const EDITION = "insert into function_edition (edition, sha256, serves_from) values (999999, 'other', 1)";
/** As a later version notes it. */
const LATER =
  "insert into migration (number, name, sha256, serves_from, program) select max(number) + 1, 'later', 'other', max(number) + 1, '9.8.7 (abc)' from migration";

const reason = whyUnavailable("15");
let fresh: FreshDatabase;
let database: Client;
let folder: string;
beforeEach(async (context) => {
  context.skip(reason !== null, reason ?? "");
  folder = mkdtempSync(join(tmpdir(), "tollgate-newer-"));
  fresh = await freshDatabase();
  database = new Client({ connectionString: fresh.url });
  await database.connect();
});
afterEach(async () => {
  await database?.end();
  await fresh?.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words: string[]): Promise<Ran> =>
  runTollgate(words, {
    cwd: folder,
    env: {
      ...childEnvironment(),
      HOME: folder,
      DATABASE_URL: fresh.url,
      TOLLGATE_ADMIN_TOKEN: "newer-database-admin-token-0123456789",
      PORT: "0",
      TOLLGATE_ADMIN_PORT: "0",
    },
  });

test("dev refuses a database that a newer version has migrated", async () => {
  await database.query(NEXT);

  const { code, stderr } = await run("dev", "--port", "0", "--database", fresh.url);

  expect(code).toBe(1);
  expect(stderr).toContain("the database is newer than this program: it has next");
});

test.each([
  ["a migration", NEXT, "next", "cannot serve with it: install the version that applied it"],
  ["a migration of a later version", LATER, "later", "cannot serve with it: install Tollgate 9.8.7 (abc) or newer"],
  ["functions of an edition", EDITION, "functions of edition 999999", "can serve with it"],
])(
  "migrate changes nothing in a database with %s that it does not know, and says so",
  async (_, newer, has, serves) => {
    await database.query(newer);

    expect(await run("migrate")).toMatchObject({
      code: 0,
      stdout: `The database is newer than this program: it has ${has}. Nothing was changed. This program ${serves}.\n`,
    });
    expect(JSON.parse((await run("migrate", "--json")).stdout)).toMatchObject({
      applied: [],
      newer: has,
      serves: serves.startsWith("can "),
    });
  },
);

test("serve names the version to install when it cannot serve with what a later version has applied", async () => {
  await database.query(LATER);

  for (const words of [["serve"], ["serve", "--migrate"], ["serve", "--workers", "2"]]) {
    const { code, stderr } = await run(...words);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "the database is newer than this program: it has later, with which this program cannot serve; install Tollgate 9.8.7 (abc) or newer",
    );
  }
});

test("serve --migrate says that it leaves newer functions as they are", async () => {
  await database.query(EDITION);
  // So that it ends.
  await database.query("delete from migration");

  const { code, stderr } = await run("serve", "--migrate");

  expect(code).toBe(1);
  expect(stderr).toContain("it has functions of edition 999999. Nothing was changed.");
  expect(stderr).toContain("the database lacks");
});
