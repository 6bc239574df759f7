/**
 * Gives the functions of `schema/` a new edition after a change: `tollgate migrate` defines them anew in databases of an older one.
 * `--check` only says whether that is due. Gateways of earlier versions call functions while they are replaced: those that end in `_vN`, and
 * those that a statement of `src/` names. Each keeps its arguments, its answer and the type of that; `--retire NAME` takes one out that no
 * supported version calls any more, and `--unused-since EDITION` says from which edition on none does. Otherwise only programs of the new
 * edition can serve with it. `--after-minor`, once a minor version is cut, makes this schema the one whose programs must go on serving.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Edition, type FunctionFile, editionOf, readFunctions, readMigrations } from "../src/db/schema-files.ts";

type Texts = { [name: string]: string };
/** `previous`: the schema of the previous minor version, whose programs can serve on whatever comes after it. */
type Record = Edition & { calls: Texts; types: Texts; previous: { migration: number; edition: number } };

const FOLDER = "schema";
const PATH = join(FOLDER, "edition.json");
const ENTRY = /_v\d+$/;
const TYPE = /^create type ([a-z0-9_]+) as (\([^]*?\));$/gm;
/** Where statements are. */
const STATEMENTS = ["src/**/*-store.ts", "src/db/postgres/postgres.ts"];

const functions = await readFunctions(FOLDER);
const last: Record = existsSync(PATH)
  ? (JSON.parse(readFileSync(PATH, "utf8")) as Record)
  : { edition: 0, sha256: "", calls: {}, types: {}, previous: { migration: 0, edition: 0 } };
const words = process.argv.slice(2);
const sinceAt = words.indexOf("--unused-since");
const [, since] = sinceAt === -1 ? [] : words.splice(sinceAt, 2);
if (sinceAt !== -1 && !/^[1-9]\d*$/.test(since ?? "")) throw new Error("--unused-since: the number of an edition");
const retired = words.includes("--retire") ? words.slice(words.indexOf("--retire") + 1) : [];
const migrations = await readMigrations(FOLDER);

const statements = globSync(STATEMENTS).map((path) => readFileSync(path, "utf8"));
const calls = callsOf(functions);
const types = typesOf(calls);

const sha256 = editionOf(functions);
const isDue = sha256 !== last.sha256;
const edition = isDue ? last.edition + 1 : last.edition;
const servesFrom = retired.length > 0 ? Number(since ?? edition) : (last.servesFrom ?? edition);
const previous = words.includes("--after-minor")
  ? { migration: migrations.at(-1)?.number ?? 0, edition: last.edition }
  : last.previous;

const problems = [
  ...definitionProblems(functions),
  ...migrationProblems(migrations),
  ...skewProblems(migrations),
  ...callProblems(),
  ...typeProblems(),
];
const isWritten =
  isSame(calls, last.calls) &&
  isSame(types, last.types) &&
  servesFrom === last.servesFrom &&
  previous.migration === last.previous.migration &&
  previous.edition === last.previous.edition;
if (process.argv.includes("--check")) {
  if (isDue) problems.push("functions have changed since edition.json was written: run `npm run schema`");
  else if (!isWritten) problems.push("edition.json does not have all that gateways call: run `npm run schema`");
  finish(`${functions.length} functions, edition ${last.edition}`);
} else {
  if (problems.length === 0 && (isDue || !isWritten))
    writeFileSync(PATH, `${JSON.stringify({ edition, sha256, calls, types, servesFrom, previous }, null, 2)}\n`);
  finish(isDue ? `edition ${edition}` : `edition ${edition}, unchanged`);
}

/** What gateways call, of this version and of those before, by name. */
function callsOf(files: readonly FunctionFile[]): Texts {
  const isCalled = (name: string): boolean =>
    ENTRY.test(name) || statements.some((text) => new RegExp(`\\b${name}\\(`).test(text));
  const now = files.filter(({ name }) => isCalled(name)).map(({ name, signature }) => [name, signature] as const);
  const before = Object.entries(last.calls).filter(([name]) => !retired.includes(name));
  return sorted([...before, ...now]);
}

/** The types of ours that these take or answer. */
function typesOf(called: Texts): Texts {
  const words = new Set(Object.values(called).flatMap((signature) => signature.split(/\W+/)));
  const tables = globSync(join(FOLDER, "tables/*.sql")).map((path) => readFileSync(path, "utf8"));
  const declared = [...tables.join("\n").matchAll(TYPE)].map(([, name = "", text = ""]) => [name, text] as const);
  return sorted(
    declared.filter(([name]) => words.has(name)).map(([name, text]) => [name, text.replaceAll(/\s+/g, " ")]),
  );
}

function sorted(entries: readonly (readonly [string, string])[]): Texts {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))));
}

function isSame(one: Texts, other: Texts): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function definitionProblems(files: readonly FunctionFile[]): string[] {
  const seen = new Map<string, number>();
  for (const { name, sql } of files)
    for (const [, defined = name] of sql.matchAll(/^\s*create\s+(?:or\s+replace\s+)?function\s+([a-z0-9_]+)/gim))
      seen.set(defined, (seen.get(defined) ?? 0) + 1);
  return [
    ...[...seen].filter(([, times]) => times > 1).map(([name]) => `${name} is defined more than once`),
    ...[...seen.keys()]
      .filter((name) => !files.some((file) => file.name === name))
      .map((name) => `${name} has no file of its name`),
    ...files
      .filter(({ sql }) => !sql.startsWith("-- "))
      .map(({ name }) => `${name} begins without saying what it does`),
  ];
}

/** Tables and their data alone: a function that a migration defined would be another definition of it, and one that it dropped none. */
function migrationProblems(files: readonly { name: string; sql: string }[]): string[] {
  return files
    .filter(({ sql }) =>
      /^\s*(?:create(?:\s+or\s+replace)?|alter|drop)\s+(?:function|procedure|routine|aggregate)\b/im.test(sql),
    )
    .map(({ name }) => `${name} creates, alters or drops a function: only files in schema/functions/ do`);
}

/** Programs of the previous minor version serve beside those of this one, and take over again when somebody goes back. */
function skewProblems(files: readonly { number: number; name: string; servesFrom: number }[]): string[] {
  const number = String(previous.migration).padStart(4, "0");
  const tables = files
    .filter((file) => file.number > previous.migration && file.servesFrom > previous.migration)
    .map(
      ({ name }) =>
        `${name} keeps programs of the previous minor version, from ${number} on, from serving. If they can serve on its tables, ` +
        `write "-- Compatible: programs from ${number} on."; if not, divide it over two minor versions`,
    );
  const calling =
    servesFrom > previous.edition
      ? [
          `functions that edition ${previous.edition} of the previous minor version calls are gone: keep them, or say with --unused-since that it does not call them`,
        ]
      : [];
  return [...tables, ...calling];
}

function callProblems(): string[] {
  const now = new Map(functions.map(({ name, signature }) => [name, signature]));
  return Object.entries(last.calls)
    .filter(([name, signature]) => now.get(name) !== signature && !(retired.includes(name) && !isEntry(name, now)))
    .map(([name]) =>
      now.has(name)
        ? `${name} takes or answers something else than before, and gateways of earlier versions call it: make the next _vN`
        : `${name} is gone, and gateways of earlier versions may call it: \`npm run schema -- --retire ${name}\` if none does`,
    );
}

function isEntry(name: string, now: ReadonlyMap<string, string>): boolean {
  return now.has(name) && ENTRY.test(name);
}

function typeProblems(): string[] {
  return Object.entries(last.types)
    .filter(([name, text]) => name in types && types[name] !== text)
    .map(
      ([name]) =>
        `type ${name} is not what gateways of earlier versions take and answer: make another for the next _vN`,
    );
}

function finish(words: string): void {
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(`schema: ${words}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
