import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const SCRIPT = join(ROOT, "scripts/schema.ts");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-schema-"));
  cpSync(join(ROOT, "schema"), join(folder, "schema"), { recursive: true });
  symlinkSync(join(ROOT, "src"), join(folder, "src"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...words], { cwd: folder, encoding: "utf8" });
  return { status, text: `${stdout}${stderr}` };
};
const place = (path: string): string => join(folder, "schema", path);
const read = (path: string): string => readFileSync(place(path), "utf8");
const change = (path: string, from: string, to: string): void => {
  expect(read(path)).toContain(from);
  writeFileSync(place(path), read(path).replace(from, to));
};
const editionOf = (): number => (JSON.parse(read("edition.json")) as { edition: number }).edition;

const TITLE = "functions/accounts/answer/account_title.sql";
const CHAIN = "functions/ledger/chain/chain_v1.sql";

test("the schema of this package passes the check", () => {
  expect(run("--check")).toEqual({ status: 0, text: expect.stringMatching(/^schema: \d+ functions, edition \d+\n$/) });
});

test("a changed function fails the check until it has an edition", () => {
  const before = editionOf();
  change(CHAIN, "$$\n", "$$\n-- Changed.\n");

  expect(run("--check")).toEqual({ status: 1, text: expect.stringContaining("run `npm run schema`") });
  expect(run()).toMatchObject({ status: 0 });

  expect(editionOf()).toBe(before + 1);
  expect(run("--check")).toMatchObject({ status: 0 });
});

test("a function defined twice, and a file named otherwise than its function, fail the check", () => {
  cpSync(place(CHAIN), place("functions/accounts/chain_v1.sql"));
  expect(run("--check")).toEqual({ status: 1, text: expect.stringContaining("chain_v1 is defined more than once") });

  rmSync(place("functions/accounts/chain_v1.sql"));
  renameSync(place(CHAIN), place("functions/ledger/chain/other_v1.sql"));
  const { status, text } = run("--check");
  expect(status).toBe(1);
  expect(text).toContain("functions/ledger/chain/other_v1.sql does not define the function of its name");
});

test.each(["create or replace function late() returns int language sql as 'select 1'", "drop function chain_v1"])(
  "a migration that touches a function fails the check: %s",
  (sql) => {
    writeFileSync(place(`migrations/${next()}_next.sql`), `-- Why: to see.\n-- Locks: none.\n${sql};\n`);

    expect(run("--check")).toEqual({ status: 1, text: expect.stringContaining("schema/functions/") });
  },
);

test.each([
  ["a function of a version", CHAIN, "returns int", "returns bigint", "chain_v1"],
  ["a function that a store names", TITLE, "(p_account uuid)", "(p_account uuid, p_short boolean)", "account_title"],
])("%s keeps what it takes and answers", (_what, path, from, to, name) => {
  change(path, from, to);

  for (const words of [["--check"], []])
    expect(run(...words)).toEqual({
      status: 1,
      text: expect.stringContaining(`${name} takes or answers something else than before`),
    });
});

test("a type that such a function answers keeps its columns", () => {
  change("tables/ledger.sql", "part text, place int, verdict text", "part text, place int, row int, verdict text");

  for (const words of [["--check"], []])
    expect(run(...words)).toEqual({ status: 1, text: expect.stringContaining("type answer is not what gateways") });
});

test("a function that gateways call is taken out only by name", () => {
  rmSync(place(CHAIN));
  expect(run()).toEqual({ status: 1, text: expect.stringContaining("npm run schema -- --retire chain_v1") });

  expect(run("--retire", "chain_v1")).toEqual({
    status: 1,
    text: expect.stringContaining(`functions that edition ${previous().edition} of the previous minor version calls`),
  });
  expect(run("--unused-since", "soon", "--retire", "chain_v1")).toMatchObject({ status: 1 });
  expect(run("--unused-since", String(previous().edition), "--retire", "chain_v1")).toMatchObject({ status: 0 });

  expect(run("--check")).toMatchObject({ status: 0 });
  expect(read("edition.json")).not.toContain(`"chain_v1"`);
});

test("a migration says that the previous minor version can serve, or fails the check until that version is another one", () => {
  const { migration } = previous();
  const name = `migrations/${next()}_next.sql`;
  const from = (number: number): string => `-- Compatible: programs from ${String(number).padStart(4, "0")} on.\n`;
  for (const line of ["", from(Number(next()))]) {
    writeFileSync(place(name), `-- Why: to see.\n-- Locks: none.\n${line}create table next (id int);\n`);
    expect(run("--check")).toEqual({
      status: 1,
      text: expect.stringContaining("keeps programs of the previous minor version"),
    });
  }
  writeFileSync(place(name), `-- Why: to see.\n${from(migration)}create table next (id int);\n`);
  expect(run("--check")).toMatchObject({ status: 0 });

  writeFileSync(place(name), "create table next (id int);\n");
  expect(run("--after-minor")).toMatchObject({ status: 0 });
  expect(previous()).toEqual({ migration: Number(next()) - 1, edition: editionOf() });
  expect(run("--check")).toMatchObject({ status: 0 });
});

test("a new edition serves the programs of those before it, until a function is taken out", () => {
  change(CHAIN, "$$\n", "$$\n-- Changed.\n");
  expect(run()).toMatchObject({ status: 0 });
  expect(JSON.parse(read("edition.json"))).toMatchObject({ edition: editionOf(), servesFrom: 1 });
  expect(run("--after-minor")).toMatchObject({ status: 0 });
  rmSync(place(CHAIN));

  expect(run("--retire", "chain_v1")).toMatchObject({ status: 1 });
  expect(run("--retire", "chain_v1", "--unused-since", String(editionOf()))).toMatchObject({ status: 0 });

  expect(JSON.parse(read("edition.json"))).toMatchObject({ servesFrom: editionOf() - 1 });
});

function previous(): { migration: number; edition: number } {
  return (JSON.parse(read("edition.json")) as { previous: { migration: number; edition: number } }).previous;
}

function next(): string {
  const numbers = readdirSync(place("migrations")).map((name) => Number.parseInt(name, 10) || 0);
  return String(Math.max(...numbers) + 1).padStart(4, "0");
}
