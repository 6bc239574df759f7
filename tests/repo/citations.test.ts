import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { citableSources, readRules } from "../../scripts/rules.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** What stands in brackets and names a rule, a section, an invariant or a decision, in any spelling anybody might choose. */
const CITATION = /\[((?:interface )?(?:LEDGER|decisions?|spec|[LI]\d|[A-Z]{3}-\d)[^\][\n]*)\]/g;

const citable = new Set([
  ...readRules().map(({ id }) => id),
  ...citableSources().map((source) => (source.startsWith("decision") ? `interface ${source}` : source)),
  ...[...read("docs/reference/ledger-rules.md").matchAll(/^- \*\*([LI]\d+)\*\*/gm)].map(([, id]) => id ?? ""),
  ...globSync("docs/decisions/0*.md", { cwd: ROOT }).map((page) => `decision ${basename(page).slice(0, 4)}`),
]);

/** The parts of a list or a range, each with the word in front: `spec 6.1.3–6.1.7` is `spec 6.1.3` and `spec 6.1.7`. */
const partsOf = (list: string): string[] => {
  const word = /^[a-z ]+ /.exec(list)?.[0] ?? "";
  return list.split(/, |–/).map((part) => (/^[\d.]+$/.test(part) ? word + part : part));
};

const danglingIn = (text: string): string[] =>
  [...text.matchAll(CITATION)].flatMap(([, list = ""]) => partsOf(list)).filter((part) => !citable.has(part));

test("every rule and decision that code or a test cites is written down in the reference or in the decisions", () => {
  const files = globSync(["{src,tests,scripts}/**/*.{ts,md}", "schema/**/*.sql"], { cwd: ROOT }).filter(
    (path) => !/^(tests\/repo\/(citations|rules)\.test|scripts\/(rules|spec-coverage))\.ts$/.test(path),
  );
  const dangling = files.flatMap((path) => danglingIn(read(path)).map((citation) => `${path}: [${citation}]`));

  expect(files.length).toBeGreaterThan(500);
  expect(dangling).toEqual([]);
});

test("a citation that points nowhere is seen", () => {
  for (const citation of [
    "LEDGER rule 3",
    "decision 8",
    "interface decision 36",
    "L99",
    "I12",
    "spec 10",
    "AUT-999",
    "decision 0999",
  ])
    expect(danglingIn(`/** So it is. [I6] [${citation}] */`)).toEqual([citation]);
  for (const citation of ["L3", "I11", "interface decision 8", "decision 0013", "spec 6.1.3–6.1.7", "ORI-4, ORI-5"])
    expect(danglingIn(`/** So it is. [${citation}] */`)).toEqual([]);
});
