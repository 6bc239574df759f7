/**
 * Builds the console into console/dist: `npm run console`. What it is built with is installed into console/ when its lockfile has
 * changed. `-- --check` builds nothing: it checks types, lint and contrast, and says so where nothing is installed. `-- --dev`
 * serves it while you work on it, with the kitchen sink at /console/kitchen-sink.html. `-- --look FOLDER` writes pictures of the
 * kitchen sink, in both themes and two widths. `-- --pages FOLDER` builds it, starts a gateway with the demo and one without anything,
 * and writes pictures of every page of both consoles and contact sheets; it fails where axe finds something, the browser complains or a
 * page is wider than its window. `--demo FOLDER` keeps the demo in a folder, so that it is seeded once.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { contrastTable, faintPairs, measureContrast } from "./console/contrast.ts";
import { FIRST_LOAD_LIMIT_BYTES, firstLoad } from "./console/first-load.ts";
import { installConsole } from "./console/install.ts";
import { type Look, lookAt, serveConsole } from "./console/look.ts";
import { takePictures } from "./console/pictures.ts";
import { precompress } from "./console/precompress.ts";
import { startDemo, startEmpty } from "./console/stage.ts";
import { consoleTypes } from "./console/write-types.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "console");
const DIST = join(FOLDER, "dist");
const BUILT = join(FOLDER, "node_modules/.built");
const TOKENS = join(FOLDER, "src/design/tokens.css");
const DESIGN = join(ROOT, "docs/explain/console-design.md");
const VITE = join(FOLDER, "node_modules/.bin/vite");
const PAGES = {
  "index.html": ["src/pages/overview/overview.tsx"],
  "holder.html": ["src/pages/my-key/my-key.tsx"],
};

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    dev: { type: "boolean", default: false },
    look: { type: "string" },
    pages: { type: "string" },
    demo: { type: "string" },
  },
});
if (values.check) check();
else {
  installConsole(FOLDER);
  consoleTypes(ROOT);
  writeFileSync(DESIGN, withTable(readFileSync(DESIGN, "utf8")));
  if (values.dev) execFileSync(VITE, ["--host", "127.0.0.1"], { cwd: FOLDER, stdio: "inherit" });
  else if (values.look !== undefined) await look(values.look);
  else build();
  if (values.pages !== undefined) await pictures(values.pages, values.demo ?? null);
}

/** Takes the place of what was there in a moment: a gateway that starts meanwhile reads the whole of one or the other. */
function build(): void {
  // Of React there are two: under a test runner's NODE_ENV, the one for development would be packed.
  const env = { ...process.env, NODE_ENV: "production" };
  const words = ["build", "--logLevel", "warn", "--outDir", BUILT, "--emptyOutDir"];
  execFileSync(VITE, words, { cwd: FOLDER, stdio: "inherit", env });
  for (const [page, then] of Object.entries(PAGES)) tellFirstLoad(page, then);
  precompress(BUILT);
  const before = join(FOLDER, "node_modules/.built-before");
  rmSync(before, { recursive: true, force: true });
  if (existsSync(DIST)) renameSync(DIST, before);
  renameSync(BUILT, DIST);
  rmSync(before, { recursive: true, force: true });
}

async function look(into: string): Promise<void> {
  const server = await serveConsole(FOLDER);
  const url = `${server.url}kitchen-sink.html`;
  const looks: Look[] = [
    { url, name: "kitchen-sink-light", width: 1440, theme: "light" },
    { url, name: "kitchen-sink-dark", width: 1440, theme: "dark" },
    { url, name: "kitchen-sink-390", width: 390, theme: "light" },
  ];
  const problems = await lookAt(FOLDER, looks, into);
  await server.close();
  for (const problem of problems) console.error(`console: ${problem}`);
  console.log(`console: ${looks.length} pictures in ${into}, ${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

async function pictures(into: string, folder: string | null): Promise<void> {
  const [demo, empty] = [await startDemo(folder), await startEmpty()];
  const crowded = { stage: demo, query: "?range=7d", empty: false };
  try {
    const { taken, problems } = await takePictures(
      FOLDER,
      [
        { name: "light", width: 1440, theme: "light", ...crowded },
        { name: "dark", width: 1440, theme: "dark", ...crowded },
        { name: "narrow", width: 390, theme: "light", ...crowded },
        { name: "empty", width: 1440, theme: "light", stage: empty, query: "", empty: true },
      ],
      into,
    );
    for (const problem of problems) console.error(`console: ${problem}`);
    console.log(`console: ${taken} pictures in ${into}, ${problems.length} problems`);
    process.exitCode = problems.length > 0 ? 1 : 0;
  } finally {
    await demo.close();
    await empty.close();
  }
}

function tellFirstLoad(page: string, then: readonly string[]): void {
  const files = firstLoad(BUILT, page, then);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const kilo = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
  console.log(`console: first load of ${page} ${kilo(total)} gzipped, at most ${kilo(FIRST_LOAD_LIMIT_BYTES)}`);
  for (const { file, bytes } of files) console.log(`  ${kilo(bytes).padStart(9)}  ${file}`);
  if (total > FIRST_LOAD_LIMIT_BYTES) process.exitCode = 1;
}

function check(): void {
  const problems = faintPairs(measureContrast(readFileSync(TOKENS, "utf8")));
  const page = readFileSync(DESIGN, "utf8");
  if (withTable(page) !== page) problems.push("docs/explain/console-design.md is not of these tokens: npm run console");
  for (const problem of problems) console.error(`console: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  if (!existsSync(join(FOLDER, "node_modules"))) {
    console.log("skipped: types and lint of console/, which is not installed; `npm run console` does that");
    return;
  }
  consoleTypes(ROOT);
  for (const program of ["operator", "holder"]) run("tsc", "-p", `console/tsconfig.${program}.json`);
  run("oxlint", "--type-aware", "--deny-warnings", "console/src", "console/vite.config.ts", "console/early-theme.ts");
}

function run(command: string, ...words: string[]): void {
  try {
    execFileSync(command, words, { cwd: ROOT, stdio: "inherit" });
  } catch {
    process.exitCode = 1;
  }
}

/** The page with its table of colours as the tokens are now. */
function withTable(page: string): string {
  const table = contrastTable(readFileSync(TOKENS, "utf8"));
  return page.replace(/(<!-- contrast -->\n\n)[\s\S]*?(\n\n<!-- \/contrast -->)/, `$1${table}$2`);
}
