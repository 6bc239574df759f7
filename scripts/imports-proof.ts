/**
 * Proves that the import law is enforced. A checker that reads no files passes everything, so this copies the tree, plants one
 * violation of every kind, and demands that each is reported by the rule meant for it, and that nothing else is reported of the tree.
 * `--picture` also checks the picture of the imports, which have all been read by then.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

type Violation = { from: string; to: string; rule: { name: string } };
type Module = { source: string; dependencies: { resolved: string }[] };
type Plant = { what: string; rule: string; files: Record<string, string> };

const PLANTS: Plant[] = [
  {
    what: "core imports wire",
    rule: "law-core",
    files: {
      "src/core/planted-upward.ts": `import "../wire/planted-target.ts";\n`,
      "src/wire/planted-target.ts": `export const target = 1;\n`,
    },
  },
  {
    what: "a type-only cycle",
    rule: "no-cycle",
    files: {
      "src/core/planted-left.ts": `import type { Right } from "./planted-right.ts";\nexport type Left = { right: Right | null };\n`,
      "src/core/planted-right.ts": `import type { Left } from "./planted-left.ts";\nexport type Right = { left: Left | null };\n`,
    },
  },
  {
    what: "one capability imports another",
    rule: "law-keys",
    files: { "src/keys/planted-sideways.ts": `import "../catalogue/model.ts";\n` },
  },
  {
    what: "a capability reaches the database outside a store",
    rule: "law-keys",
    files: {
      "src/keys/planted-database.ts": `import "../db/planted-db.ts";\n`,
      "src/db/planted-db.ts": `export const db = 1;\n`,
    },
  },
  {
    what: "a dialect imports another",
    rule: "dialects-apart",
    files: { "src/translate/chat/planted-dialect.ts": `import "../messages/offered-tools.ts";\n` },
  },
  {
    what: "a dialect imports what is said of pairs",
    rule: "dialects-apart",
    files: { "src/translate/messages/planted-pair.ts": `import "../fidelity/conditions.ts";\n` },
  },
  {
    what: "the form imports a dialect",
    rule: "form-knows-no-dialect",
    files: { "src/translate/form/planted-dialect.ts": `import "../messages/offered-tools.ts";\n` },
  },
  {
    what: "admin imports a capability past operator",
    rule: "law-admin",
    files: { "src/admin/planted-capability.ts": `import "../ledger/report/journal.ts";\n` },
  },
  {
    what: "people import what lets them in",
    rule: "law-people",
    files: { "src/people/planted-upward.ts": `import "../entrance/recognise.ts";\n` },
  },
  {
    what: "a store of the entrance reaches another capability",
    rule: "law-entrance-store",
    files: { "src/entrance/planted-store.ts": `import "../keys/key.ts";\n` },
  },
  {
    what: "a capability imports wire/admin",
    rule: "wire-admin-readers",
    files: { "src/ledger/planted-json.ts": `import "../wire/admin/keys.ts";\n` },
  },
  {
    what: "a dependency outside its home folder",
    rule: "home-zod",
    files: { "src/core/planted-guest.ts": `import { z } from "zod";\nexport const schema = z.string();\n` },
  },
  {
    what: "the gateway imports what makes its files",
    rule: "src-alone",
    files: { "src/http/planted-maker.ts": `import "../../build/openapi/document.ts";\n` },
  },
  {
    what: "the gateway imports the demo",
    rule: "src-alone",
    files: { "src/cli/planted-demo.ts": `import "../../demo/draw.ts";\n` },
  },
  {
    what: "what is made with the package imports a test",
    rule: "build-beside",
    files: { "build/planted-script.ts": `import "../tests/support/until.ts";\n` },
  },
  {
    what: "a black-box suite imports the source",
    rule: "contract-is-black-box",
    files: { "tests/contract/planted.ts": `import "../../src/core/fault.ts";\n` },
  },
];

const root = resolve(import.meta.dirname, "..");
const copy = mkdtempSync(join(tmpdir(), "tollgate-imports-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const name of ["src", "build", "demo", "tests", "package.json", "tsconfig.json", ".dependency-cruiser.cjs"]) {
  cpSync(join(root, name), join(copy, name), { recursive: true });
}
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
const files = PLANTS.flatMap((plant) => Object.entries(plant.files));
for (const [path, text] of files) writeFileSync(join(copy, path), text);
const planted = new Set(files.map(([path]) => path));
const { all, modules, violations } = cruise(copy);
if (modules - planted.size < 10) fail(`only ${modules} modules were read: the checker is blind`);
const own = violations.filter(({ from }) => !planted.has(from));
if (own.length > 0) fail(own.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).join("\n"));
console.log(`imports: ${modules - planted.size} modules keep the law`);
for (const plant of PLANTS) {
  const caught = violations.some(({ rule, from }) => rule.name === plant.rule && from in plant.files);
  if (!caught) fail(`not caught: ${plant.what} (expected rule ${plant.rule})`);
  console.log(`imports: caught ${plant.what} (${plant.rule})`);
}

if (process.argv.includes("--picture")) checkPicture();

function checkPicture(): void {
  const report = join(copy, "imports.json");
  writeFileSync(report, JSON.stringify({ modules: all.filter(({ source }) => !planted.has(source)) }));
  const words = ["scripts/draw-architecture.ts", "--check", "--imports", report];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: "inherit" });
  if (status !== 0) fail("the picture of the imports was not checked, or is not of these");
}

function cruise(folder: string): { all: Module[]; modules: number; violations: Violation[] } {
  const run = spawnSync(
    "depcruise",
    ["--config", ".dependency-cruiser.cjs", "--output-type", "json", "src", "build", "demo", "tests"],
    {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  if (!run.stdout.startsWith("{")) fail(`depcruise did not answer: ${run.stderr || run.stdout}`);
  const report = JSON.parse(run.stdout) as { modules: Module[]; summary: { violations: Violation[] } };
  return {
    all: report.modules,
    modules: report.modules.filter(({ source }) => /^(src|build|demo)\//.test(source)).length,
    violations: report.summary.violations,
  };
}

function fail(message: string): never {
  console.error(`imports: ${message}`);
  process.exit(1);
}
