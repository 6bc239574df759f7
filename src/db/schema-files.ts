import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { glob, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Something about the schema that a person must put right. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** `servesFrom`: the oldest program that can serve on its tables, by the last migration of that program. */
export type MigrationFile = { number: number; name: string; sha256: string; servesFrom: number; sql: string };

/**
 * As the database has it. `servesFrom`: as above; null: it was applied by a program that did not write it down, and counts as the number
 * itself. `program`: the version that applied it.
 */
export type AppliedMigration = {
  number: number;
  name: string;
  sha256: string;
  servesFrom: number | null;
  program: string | null;
  appliedAt: Date;
};

/** `signature`: from the arguments to the answer, as the file has it. */
export type FunctionFile = { name: string; signature: string; sha256: string; sql: string };

/**
 * Of all functions together. Grows with every change, so that the older of two packages knows that it is the older one. `servesFrom`: the
 * edition of the oldest program that finds every function it calls; without it only programs of this edition do.
 */
export type Edition = { edition: number; sha256: string; servesFrom?: number };

/**
 * The migrations of which the first file has the result, as they were. Those after `oldest` are left with what they did to tables: `steps`,
 * in this order. One that may wait long for its locks comes before those whose locks stop traffic.
 */
type History = {
  oldest: number;
  migrations: { name: string; sha256: string }[];
  steps: string[];
  functions: { [name: string]: string };
};

const COMPATIBLE = /^-- Compatible: programs from (\d{4}) on\.$/;
const MIGRATION_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const FUNCTION = /^create or replace function ([a-z0-9_]+)\s*(\([^]*?)\s+language\s/m;

/** The `schema/` folder of this package, from the sources and from the build alike. */
export const schemaFolder = (): string => fileURLToPath(new URL("../../schema", import.meta.url));

/** The last migration and the edition of the functions of a program, by name and number. */
export type SchemaVersion = { migration: string; edition: number | null };

/** Of the program whose folder this is. Reads names alone, no migration. */
export function schemaVersion(folder: string): SchemaVersion {
  const names = readdirSync(join(folder, "migrations")).filter((name) => MIGRATION_NAME.test(name));
  const path = join(folder, "edition.json");
  const edition = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Edition).edition : null;
  return { migration: basename(names.toSorted().at(-1) ?? "", ".sql"), edition };
}

/** Reads `migrations/0039_name.sql` and its successors, in order and without a gap. */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const place = join(folder, "migrations");
  const names = (await readdir(place)).filter((name) => name.endsWith(".sql")).sort();
  if (names.length === 0) throw new MigrationError(`there are no migrations in ${place}`);
  const files = await Promise.all(names.map((name) => readMigration(place, name)));
  for (const [index, { number, name }] of files.entries()) {
    const before = files[index - 1];
    if (before?.number === number) throw new MigrationError(`${before.name} and ${name} have the same number`);
    if (before && number !== before.number + 1)
      throw new MigrationError(`migration ${before.number + 1} is missing: ${name} comes in its place`);
  }
  return files;
}

async function readMigration(folder: string, fileName: string): Promise<MigrationFile> {
  const number = MIGRATION_NAME.exec(fileName)?.[1];
  if (number === undefined) throw new MigrationError(`${fileName} is not named like 0040_what_it_does.sql`);
  const sql = await readSql(join(folder, fileName));
  const name = basename(fileName, ".sql");
  return {
    number: Number(number),
    name,
    sha256: digestOf(sql),
    servesFrom: servesFromOf(name, Number(number), sql),
    sql,
  };
}

/** Without a line that says so, no older program can serve: a file that is silent must not be taken for one that was thought about. */
function servesFromOf(name: string, number: number, sql: string): number {
  const lines = sql.split("\n").filter((line) => /^--\s*compatible/i.test(line));
  if (lines.length === 0) return number;
  const [, from] = COMPATIBLE.exec(lines[0] ?? "") ?? [];
  if (from === undefined || lines.length > 1)
    throw new MigrationError(`${name} must say once: -- Compatible: programs from NNNN on.`);
  if (Number(from) > number) throw new MigrationError(`${name} says programs from ${from} on, which is after itself`);
  return Number(from);
}

/** What `functions/` defines, one function in each file, in the order of their paths. */
export async function readFunctions(folder: string): Promise<FunctionFile[]> {
  const paths = (await Array.fromAsync(glob("functions/**/*.sql", { cwd: folder }))).sort();
  return Promise.all(paths.map(async (path) => functionOf(path, await readSql(join(folder, path)))));
}

export function functionOf(path: string, sql: string): FunctionFile {
  const [, name, signature = ""] = FUNCTION.exec(sql) ?? [];
  if (name !== basename(path, ".sql")) throw new MigrationError(`${path} does not define the function of its name`);
  return { name, signature: signature.replaceAll(/\s+/g, " "), sha256: digestOf(sql), sql };
}

const PART = /'(?:[^']|'')*'|[^]/g;
const DEFAULT = /\s(?:default\s|:?=)[^]*$/i;

/** Of a signature, what tells the function from others of its name: arguments without defaults. */
export function argumentsOf(signature: string): string {
  const parts: string[] = [""];
  let depth = 0;
  for (const [part] of signature.matchAll(PART)) {
    if (part === ")" && --depth === 0) break;
    if (part === "," && depth === 1) parts.push("");
    else if (depth > 0) parts[parts.length - 1] += part;
    if (part === "(") depth += 1;
  }
  return `(${parts.map((part) => part.replace(DEFAULT, "").trim()).join(", ")})`;
}

export const editionOf = (functions: readonly FunctionFile[]): string =>
  digestOf(functions.map(({ name, sha256 }) => `${name} ${sha256}\n`).join(""));

/** Which edition the functions of this folder are; null: it has none. */
export async function readEdition(folder: string): Promise<Edition | null> {
  const path = join(folder, "edition.json");
  return existsSync(path) ? (JSON.parse(await readFile(path, "utf8")) as Edition) : null;
}

/** A checkout may change line endings; that is no change of the file. */
const readSql = async (path: string): Promise<string> => (await readFile(path, "utf8")).replaceAll("\r\n", "\n");

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * The files still to be applied. `adopt`: what brings an older database to the first of them, which then is not run itself. `newer`: what
 * the database has that this program does not know.
 */
export type Pending = { adopt: Adoption | null; migrations: MigrationFile[]; newer: AppliedMigration[] };

/**
 * `history`: what the database would have been told by now, had it been migrated step by step. `functions`: the signatures of those whose
 * arguments have changed since.
 */
type Adoption = { files: MigrationFile[]; history: Applicable[]; functions: { [name: string]: string } };

/** What is noted of a migration that was applied. */
export type Applicable = { number: number; name: string; sha256: string; servesFrom?: number };

/** Compares what was applied with the files. Throws when the two contradict each other. */
export async function pendingIn(
  folder: string,
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): Promise<Pending> {
  const first = files[0]?.number ?? 1;
  const before = applied.filter(({ number }) => number < first);
  const since = applied.filter(({ number }) => number >= first);
  const history = before.length > 0 ? await readHistory(folder) : null;
  requireOrder(before, 1);
  if (history) requireHistory(before, history.migrations);
  requireOrder(since, first);
  requireSame(since, files);
  const migrations = files.slice(since.length);
  const newer = since.slice(files.length);
  if (history === null || since.length > 0) return { adopt: null, migrations, newer };
  if (before.length < history.oldest) {
    throw new MigrationError(
      `the database is at ${before.at(-1)?.name}, and this program adopts one from ${history.migrations[history.oldest - 1]?.name} on; ` +
        "migrate it with a version that has that one first",
    );
  }
  return { adopt: await readAdoption(folder, history, before.length), migrations, newer };
}

function requireOrder(rows: readonly AppliedMigration[], first: number): void {
  for (const [index, row] of rows.entries())
    if (row.number !== first + index)
      throw new MigrationError(`the database says ${row.name} was applied, but not number ${first + index}`);
}

function requireSame(rows: readonly AppliedMigration[], files: readonly { name: string; sha256: string }[]): void {
  for (const [index, row] of rows.entries()) {
    const file = files[index];
    if (file === undefined || file.sha256 === row.sha256) continue;
    throw new MigrationError(
      `${file.name} was changed after it was applied; restore the file and write a new migration`,
    );
  }
}

/** The files are not here any more, so none can be restored. */
function requireHistory(rows: readonly AppliedMigration[], known: History["migrations"]): void {
  const other = rows.find(({ sha256 }, index) => known[index]?.sha256 !== sha256);
  if (other === undefined) return;
  throw new MigrationError(
    `${other.name} was applied to the database with other content than this program knows, so the database cannot be adopted. ` +
      "Nothing was changed. Go on with the version that applied it, or move to a database whose migrations are unchanged",
  );
}

const readHistory = async (folder: string): Promise<History> =>
  JSON.parse(await readFile(join(folder, "migrations/adopt/history.json"), "utf8")) as History;

async function readAdoption(
  folder: string,
  { migrations, steps, functions }: History,
  after: number,
): Promise<Adoption> {
  const place = join(folder, "migrations/adopt");
  const files = await Promise.all(steps.map((name) => readMigration(place, `${name}.sql`)));
  const history = migrations.map((migration, index) => ({ number: index + 1, ...migration }));
  return { files: files.filter(({ number }) => number > after), history: history.slice(after), functions };
}
