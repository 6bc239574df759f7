import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pages = globSync(["README.md", "docs/{start,guides,operate,explain}/*.md"], { cwd: ROOT });

/** What a pattern finds in the pages that people follow, each with its page. */
const namedBy = (pattern: RegExp): { page: string; name: string }[] =>
  pages.flatMap((page) => [...read(page).matchAll(pattern)].map(([, name = ""]) => ({ page, name })));

const missingFrom = (text: string, named: readonly { page: string; name: string }[]): string[] =>
  named.filter(({ name }) => !text.includes(name)).map(({ page, name }) => `${page}: ${name}`);

test("every metric that a page names is in the reference", () => {
  const named = namedBy(/`[^`\n]*?\b(tollgate_(?!owner|reader)[a-z_]+)/g);

  expect(named.length).toBeGreaterThan(10);
  expect(missingFrom(read("docs/reference/metrics.md"), named)).toEqual([]);
});

test("every setting that a page names is in the reference", () => {
  const settings = read("docs/reference/settings.md");
  const groups = [...new Set([...settings.matchAll(/`([a-z]+)\.[a-z_]+`/g)].map(([, group]) => group))];
  const named = namedBy(new RegExp(`\`((?!tollgate)(?:${groups.join("|")})\\.(?!yaml)[a-z_]+)\``, "g"));

  expect(named.length).toBeGreaterThan(30);
  expect(missingFrom(settings, named)).toEqual([]);
});

test("every attribute of a span that a page names is one that spans have", () => {
  const named = namedBy(/`((?:tollgate|gen_ai)\.(?!yaml|rules)[a-z_.]+)`/g);

  expect(named.length).toBeGreaterThan(5);
  expect(missingFrom(read("src/telemetry/trace/attribute-names.ts"), named)).toEqual([]);
});

test("every page that the program or a deployment file sends people to is there", () => {
  const files = globSync("{src,build,demo,deploy}/**/*.{ts,yml,yaml,txt,md,conf,env,service,tpl}", { cwd: ROOT });
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/\bdocs\/[a-z-]+\/[a-z0-9-]+\.md\b/g)].map(([page]) => ({ file, page })),
  );

  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ page }) => !existsSync(join(ROOT, page)))).toEqual([]);
});

test("every log line that a page quotes is one that the code writes", () => {
  const sources = globSync("{src,build,demo}/**/*.ts", { cwd: ROOT }).filter((path) => !path.endsWith(".test.ts"));
  const named = namedBy(/\b(?:line|line is|warning) `([a-z][a-z :]+)`/g);

  expect(named.length).toBeGreaterThan(10);
  expect(missingFrom(sources.map(read).join("\n"), named)).toEqual([]);
});
