/**
 * Says which rules of docs/reference/interface-rules.md are named by a test's title, and which by none. `--write` puts the table
 * into docs/reference/rule-coverage.md; `--check` fails when that table is stale, or when a title names a rule that does not
 * exist; without either it lists the rules nobody names and exits 1 when there are any. `--json` prints the same as JSON.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRules } from "./rules.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = join(ROOT, "docs/reference/rule-coverage.md");
const RULE_ID = /\[([A-Z]{3}-\d+)\]/g;
const SUITES = ["contract", "conformance", "chaos", "unit"] as const;
type Suite = (typeof SUITES)[number];

/** The rules that stand in brackets in a test file; ids are only ever written so in titles. */
const named = new Map<string, Set<Suite>>();
for (const file of globSync(["{src,build,demo}/**/*.test.ts", "tests/**/*.test.ts"], { cwd: ROOT })) {
  const suite = SUITES.find((name) => file.startsWith(`tests/${name}/`)) ?? "unit";
  for (const [, id = ""] of readFileSync(join(ROOT, file), "utf8").matchAll(RULE_ID)) {
    named.set(id, (named.get(id) ?? new Set()).add(suite));
  }
}

const rules = readRules();
const ids = new Set(rules.map(({ id }) => id));
const invented = [...named.keys()].filter((id) => !ids.has(id)).toSorted();
const uncovered = rules.filter(({ id }) => !named.has(id));

const groups = Map.groupBy(rules, ({ id }) => id.slice(0, 3));
const rows = [...groups].map(([prefix, members]) => {
  const covered = members.filter(({ id }) => named.has(id));
  const by = (suite: Suite): number => members.filter(({ id }) => named.get(id)?.has(suite)).length;
  return [prefix, members.length, covered.length, ...SUITES.map(by)].join(" | ");
});
const operations = globSync("tests/contract/*/", { cwd: ROOT })
  .toSorted()
  .map((folder) => {
    const statuses = globSync("[0-9]*.test.ts", { cwd: join(ROOT, folder) }).map((file) => file.slice(0, 3));
    return `| ${folder.split("/").at(-1)} | ${[...new Set(statuses)].toSorted().join(" ")} |`;
  })
  .filter((row) => /\d{3}/.test(row));

const page = `# Rule coverage

For contributors who ask which interface rules have a test.

This table counts the [interface rules](interface-rules.md) that test titles name, by suite. \`scripts/spec-coverage.ts\` writes it, and \`npm run check\`
fails when it is out of date.

| Group | Rules | Named | ${SUITES.join(" | ")} |
|---|---|---|${"---|".repeat(SUITES.length)}
${rows.map((row) => `| ${row} |`).join("\n")}

${rules.length - uncovered.length} of ${rules.length} rules are named by a test.

## Contract suite

| Operation | Statuses with their own test file |
|---|---|
${operations.join("\n")}

## Rules that no test names

${uncovered.length === 0 ? "None." : uncovered.map(({ id, sentence }) => `- ${id}: ${sentence}`).join("\n")}
`;

if (process.argv.includes("--json")) {
  const summary = { rules: rules.length, uncovered: uncovered.map(({ id }) => id), invented };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
} else if (process.argv.includes("--write")) writeFileSync(PAGE, page);
else if (process.argv.includes("--check")) {
  if (readFileSync(PAGE, "utf8") !== page)
    fail("docs/reference/rule-coverage.md is stale: run scripts/spec-coverage.ts --write");
  if (invented.length > 0) fail(`titles name rules that do not exist: ${invented.join(", ")}`);
} else {
  for (const { id, sentence } of uncovered) process.stdout.write(`${id}  ${sentence}\n`);
  process.stdout.write(`${rules.length - uncovered.length} of ${rules.length} rules are named by a test\n`);
  if (uncovered.length > 0) process.exitCode = 1;
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
