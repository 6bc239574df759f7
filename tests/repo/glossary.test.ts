import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
/** A noun, its meaning, and the type of that name where there is one. */
const rows = [
  ...readFileSync(join(ROOT, "docs/reference/glossary.md"), "utf8").matchAll(
    /^\| ([^|]+) \| (.+) \| (?:`(\w+)` )?\|$/gm,
  ),
].map(([, noun = "", , type]) => ({ noun, type }));

const exported = new Set(
  globSync("{src,build,demo}/**/*.ts", { cwd: ROOT, exclude: (name) => name.startsWith("src/simulator") })
    .filter((path) => !path.endsWith(".test.ts"))
    .flatMap((path) => [
      ...readFileSync(join(ROOT, path), "utf8").matchAll(/^export (?:type|interface|(?:abstract )?class) (\w+)/gm),
    ])
    .map(([, name]) => name),
);

test("every noun of the glossary that is a type is one of the source", () => {
  const types = rows.flatMap(({ type }) => type ?? []);

  expect(types.length).toBeGreaterThan(40);
  expect(types.filter((type) => !exported.has(type))).toEqual([]);
});

test("the glossary has each noun once, in alphabetical order", () => {
  const nouns = rows.map(({ noun }) => noun);

  expect(nouns).toEqual([...new Set(nouns)].toSorted());
});
