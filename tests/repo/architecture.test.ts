import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { FAULT_CODES, Fault } from "../../src/core/fault.ts";
import { renderFormatA } from "../../src/wire/errors/format-a.ts";

type Rule = { name: string; comment?: string; to: { path: string | string[]; pathNot?: string[] } };

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
const { forbidden } = createRequire(import.meta.url)(join(ROOT, ".dependency-cruiser.cjs")) as { forbidden: Rule[] };

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const sectionOf = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");

/** What a rule's patterns such as `^src/cli/` and `^src/main\.ts$` name. */
const placesIn = (patterns: string | readonly string[] = []): string[] =>
  [patterns].flat().map((pattern) =>
    pattern
      .replace("^src/", "")
      .replace(/\/$|\$$/, "")
      .replace("\\.", "."),
  );

function lawOfTheMachine(): Record<string, string[]> {
  const law: Record<string, string[]> = {};
  for (const { name, to } of forbidden) {
    const [, place] = /^law-(.+)$/.exec(name) ?? [];
    if (place === "app") law["app.ts"] = law["app"] = placesIn(to.path);
    else if (place === "main") law["main.ts"] = placesIn(to.pathNot);
    else if (place !== undefined) law[place] = placesIn(to.pathNot).filter((to) => to !== place.replace("-store", ""));
  }
  return law;
}

function lawOfThePage(): Record<string, string[]> {
  const law: Record<string, string[]> = {};
  for (const [, folders, allowed, stores] of sectionOf("The import law").matchAll(/^\| (`.+?) \| (.+?) \|(.*)\|$/gm)) {
    for (const name of namesIn(folders ?? "")) {
      law[name] = namesIn(allowed ?? "");
      if (stores?.trim()) law[`${name}-store`] = namesIn(stores);
    }
  }
  return law;
}

test("the law as people read it is the law as the machine reads it", () => {
  expect(Object.keys(lawOfTheMachine()).length).toBeGreaterThan(20);
  expect(lawOfThePage()).toEqual(lawOfTheMachine());
});

test("every folder of the source has a row that says what it is for, and no row outlives its folder", () => {
  const rows = namesIn(sectionOf("Layout").replaceAll(/^\| (`.+?`) \|.*$/gm, "$1"))
    .filter((name) => name.startsWith("src/"))
    .map((name) => name.slice("src/".length).replace(/\/$/, ""));

  const parts = globSync("*", { cwd: join(ROOT, "src") }).filter((name) => !name.endsWith(".test.ts"));
  expect(new Set(rows)).toEqual(new Set(parts));
});

test("every file on the path of a request exists", () => {
  const files = namesIn(sectionOf("The path of a request")).filter((name) => name.endsWith(".ts"));

  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((name) => !existsSync(join(ROOT, "src", name)))).toEqual([]);
});

test("every file that the page names as the place to look exists", () => {
  const files = namesIn(sectionOf("Where to look")).filter((name) => /^[^<]+\.(ts|sql)$/.test(name));

  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((name) => !existsSync(join(ROOT, /\.sql$|^demo\//.test(name) ? "" : "src", name)))).toEqual([]);
});

test("each README of the source is half a page, says what always holds, and names only what is there", () => {
  const readmes = globSync("src/**/README.md", { cwd: ROOT });
  const namedIn = (path: string): string[] =>
    [...textOf(path).matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, names]) => namesIn(names ?? ""));
  const missing = readmes.flatMap((path) =>
    namedIn(path)
      .filter((name) => !existsSync(join(ROOT, dirname(path), name)))
      .map((name) => `${path}: ${name}`),
  );

  expect(readmes.length).toBeGreaterThan(12);
  expect(readmes.filter((path) => !page.includes(`\`${path.slice("src/".length)}\``))).toEqual([]);
  expect(readmes.filter((path) => textOf(path).split("\n").length > 40)).toEqual([]);
  expect(readmes.filter((path) => !path.includes("contract") && !/^## Invariants$/m.test(textOf(path)))).toEqual([]);
  expect(missing).toEqual([]);
});

test("402 is decided where the page says, on the way from the program's turn", () => {
  const fileOf = (name: string): string => globSync(`schema/functions/**/${name}.sql`, { cwd: ROOT })[0] ?? name;
  const [, turn = ""] = /from (turn_v\d+)\(/.exec(textOf("src/ledger/turn/turn-store.ts")) ?? [];
  const [, admits = ""] = /from (admitted)\(/.exec(textOf(fileOf(turn))) ?? [];
  const [, refuses = ""] = /(refusal_of)\(/.exec(textOf(fileOf(admits))) ?? [];

  const row = sectionOf("Where to look")
    .split("\n")
    .find((line) => line.startsWith("| What decides 402"));
  expect(namesIn(row ?? "")).toEqual(expect.arrayContaining([fileOf(admits), fileOf(refuses)]));
  expect(namesIn(sectionOf("Where to look"))).toContain(fileOf(turn));
});

test("each question that is asked at night has a row, whose file comes first", () => {
  const firstOf = (question: string): string | undefined => {
    const row = sectionOf("Where to look")
      .split("\n")
      .find((line) => line.includes(question));
    return namesIn(row?.split("|")[2] ?? "")[0];
  };

  expect(
    ["What decides 402", "Where is a charge made", "what may a lead do", "What is written when a stream is cut"].map(
      firstOf,
    ),
  ).toEqual([
    "schema/functions/ledger/admit/refusal_of.sql",
    "schema/functions/ledger/settle/settled.sql",
    "admin/access-table.ts",
    "gateway/generate/end-generation.ts",
  ]);
  expect(textOf("schema/functions/ledger/settle/settled.sql")).toContain("insert into charge ");
});

test("every exit on the path of a request has the status the caller gets", () => {
  const exits = [...sectionOf("The path of a request").matchAll(/\b(\d{3})\s+`(\w+)`/g)].map(([, status, code]) => ({
    status: Number(status),
    code: FAULT_CODES.find((known) => known === code) ?? `unknown: ${code}`,
  }));
  const sent = exits.map(({ code }) => ({
    status: renderFormatA(new Fault(code as (typeof FAULT_CODES)[number], "No."), "req_1").status,
    code,
  }));

  expect(exits.length).toBeGreaterThan(20);
  expect(exits).toEqual(sent);
});

test("money moves in the functions of the schema and nowhere else: the program writes no row of the books itself", () => {
  const books = "balance|borne|chain|charge|counter|funding|hold|house|refund|release";
  const writes = new RegExp(
    `\\b(?:insert into|update|delete from|truncate|merge into)\\s+(?:only\\s+)?(?:${books})\\b`,
    "i",
  );
  const sources = globSync("{src,build,demo}/**/*.ts", { cwd: ROOT }).filter((path) => !path.endsWith(".test.ts"));

  expect(sources.length).toBeGreaterThan(900);
  expect(sources.filter((path) => writes.test(textOf(path)))).toEqual([]);
  expect(writes.test("update balance b\n set used = 0")).toBe(true);
});
