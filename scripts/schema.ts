/**
 * Gives the functions of `schema/` a new edition after a change: `tollgate migrate` defines them anew in databases of an older one.
 * `--check` only says whether that is due. Gateways of earlier versions call functions while they are replaced: those that end in `_vN`, and
 * those that a statement of `src/` names. Each keeps its arguments, its answer and the type of that; `--retire NAME` takes one out that no
 * supported version calls any more.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Edition, type FunctionFile, editionOf, readFunctions, readMigrations } from "../src/db/schema-files.ts";

type Texts = { [name: string]: string };
type Record = Edition & { calls: Texts; types: Texts };

const FOLDER = "schema";
const PATH = join(FOLDER, "edition.json");
const ENTRY = /_v\d+$/;
const TYPE = /^create type ([a-z0-9_]+) as (\([^]*?\));$/gm;
/** Where statements are. */
const STATEMENTS = ["src/**/*-store.ts", "src/db/postgres/postgres.ts"];

const functions = await readFunctions(FOLDER);
const last: Record = existsSync(PATH)
  ? (JSON.parse(readFileSync(PATH, "utf8")) as Record)
  : { edition: 0, sha256: "", calls: {}, types: {} };
const retired = process.argv.includes("--retire") ? process.argv.slice(process.argv.indexOf("--retire") + 1) : [];

const statements = globSync(STATEMENTS).map((path) => readFileSync(path, "utf8"));
const calls = callsOf(functions);
const types = typesOf(calls);

const problems = [
  ...definitionProblems(functions),
  ...migrationProblems(await readMigrations(FOLDER)),
  ...callProblems(),
  ...typeProblems(),
];
const sha256 = editionOf(functions);
const isDue = sha256 !== last.sha256;
const isWritten = isSame(calls, last.calls) && isSame(types, last.types);
if (process.argv.includes("--check")) {
  if (isDue) problems.push("functions have changed since edition.json was written: run `npm run schema`");
  else if (!isWritten) problems.push("edition.json does not have all that gateways call: run `npm run schema`");
  finish(`${functions.length} functions, edition ${last.edition}`);
} else {
  const edition = isDue ? last.edition + 1 : last.edition;
  if (problems.length === 0 && (isDue || !isWritten))
    writeFileSync(PATH, `${JSON.stringify({ edition, sha256, calls, types }, null, 2)}\n`);
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
