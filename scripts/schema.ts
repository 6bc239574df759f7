/**
 * Gives the functions of `schema/` a new edition after a change: `tollgate migrate` defines them anew in databases of an older one.
 * `--check` only says whether that is due. A function that ends in `_vN` is called by gateways of earlier versions, so it keeps its
 * arguments and its answer; `--retire NAME` takes one out that none of them calls any more.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Edition, type FunctionFile, editionOf, readFunctions, readMigrations } from "../src/db/schema-files.ts";

type Record = Edition & { calls: { [name: string]: string } };

const FOLDER = "schema";
const PATH = join(FOLDER, "edition.json");
const ENTRY = /_v\d+$/;

const functions = await readFunctions(FOLDER);
const last: Record = existsSync(PATH)
  ? (JSON.parse(readFileSync(PATH, "utf8")) as Record)
  : { edition: 0, sha256: "", calls: {} };
const retired = process.argv.includes("--retire") ? process.argv.slice(process.argv.indexOf("--retire") + 1) : [];

const problems = [
  ...definitionProblems(functions),
  ...migrationProblems(await readMigrations(FOLDER)),
  ...callProblems(),
];
const sha256 = editionOf(functions);
const isDue = sha256 !== last.sha256;
if (process.argv.includes("--check")) {
  if (isDue) problems.push("functions have changed since edition.json was written: run `npm run schema`");
  finish(`${functions.length} functions, edition ${last.edition}`);
} else {
  if (problems.length === 0 && isDue) {
    const entries = functions
      .filter(({ name }) => ENTRY.test(name))
      .map(({ name, signature }) => [name, signature] as const);
    const calls = Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
    writeFileSync(PATH, `${JSON.stringify({ edition: last.edition + 1, sha256, calls }, null, 2)}\n`);
  }
  finish(isDue ? `edition ${last.edition + 1}` : `edition ${last.edition}, unchanged`);
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

/** Tables and their data alone: a function that a migration defined would be another definition of it. */
function migrationProblems(files: readonly { name: string; sql: string }[]): string[] {
  return files
    .filter(({ sql }) => /^\s*create\s+(?:or\s+replace\s+)?function\b/im.test(sql))
    .map(({ name }) => `${name} defines a function: it belongs into schema/functions/`);
}

function callProblems(): string[] {
  const now = new Map(functions.map(({ name, signature }) => [name, signature]));
  return Object.entries(last.calls)
    .filter(([name, signature]) => now.get(name) !== signature && !(retired.includes(name) && !now.has(name)))
    .map(([name]) =>
      now.has(name)
        ? `${name} takes or answers something else than before, and gateways of earlier versions call it: make the next _vN`
        : `${basename(name)} is gone, and gateways of earlier versions may call it: \`npm run schema -- --retire ${name}\` if none does`,
    );
}

function finish(words: string): void {
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(`schema: ${words}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
