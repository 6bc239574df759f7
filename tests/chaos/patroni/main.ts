/**
 * Three PostgreSQL under Patroni, three etcd, gateways and their callers, and everything that can happen to the servers. Exits with 1
 * when a scenario does not hold, and with 3 when the programs cannot be installed here.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serverFolder } from "../../support/postgres-binaries.ts";
import { startBackdrop } from "./backdrop.ts";
import { startCluster } from "./cluster.ts";
import { holds, type Row } from "./figures.ts";
import { CannotInstall, installPrograms, type Programs } from "./install.ts";
import { startLinks } from "./links.ts";
import { PAGE, readBlocks } from "./page-blocks.ts";
import { withFigures } from "./page-figures.ts";
import { startKeeper } from "./part.ts";
import { pictureOf } from "./picture.ts";
import { runScenario } from "./run.ts";
import { type Scenario, SCENARIOS } from "./scenario.ts";
import { startSite } from "./site.ts";
import { tableHead, tableRow } from "./table.ts";

const USAGE = `npm run chaos -- patroni [options]

  --only PATTERN   scenarios whose name matches, as a regular expression
  --json           one JSON object per row instead of a table
  --write          writes the figures of docs/operate/high-availability.md and its picture; a whole run only
  --from FILE      writes both from the output of runs with --json; may be repeated, later files win
  --logs FOLDER    keeps what the servers wrote
  --list           the scenarios
  --help           this text`;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    from: { type: "string", multiple: true, default: [] },
    logs: { type: "string" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const CANNOT_INSTALL = 3;
const CLOCK_JUMP_MS = 1_000;
const startedMs = performance.now();

if (values.help) console.log(USAGE);
else if (values.list) for (const { name, done } of SCENARIOS) console.log(`${name}: ${done}`);
else if (values.from.length > 0) writePage(readRows(values.from));
else if (values.write && values.only !== "") {
  console.error("patroni: --write needs a whole run, without --only");
  process.exitCode = 2;
} else await main();

async function main(): Promise<void> {
  const wanted = new RegExp(values.only, "i");
  const scenarios = SCENARIOS.filter(({ name }) => wanted.test(name));
  const folder = await serverFolder();
  const keeper = startKeeper(folder);
  // The keeper ends what is left and removes the folder when this process is gone.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  say("installing etcd, haproxy, PgBouncer and Patroni into the cache, if they are not there");
  let programs: Programs;
  try {
    programs = await installPrograms(folder);
  } catch (error) {
    if (!(error instanceof CannotInstall)) throw error;
    console.error(`patroni: cannot run here: ${error.message}`);
    process.exitCode = CANNOT_INSTALL;
    return;
  }
  const { rows, brokenOff } = await play(scenarios, { folder, keeper, programs });
  if (values.write) writePage(rows);
  const failed = rows.filter((row) => !holds(row));
  say(`${rows.length} rows, ${failed.length} of them do not hold; ${brokenOff} scenarios broke off`);
  process.exitCode = failed.length > 0 || brokenOff > 0 || rows.length === 0 ? 1 : 0;
  process.exit();
}

type Ground = { folder: string; keeper: ReturnType<typeof startKeeper>; programs: Programs };

async function play(scenarios: readonly Scenario[], ground: Ground): Promise<{ rows: Row[]; brokenOff: number }> {
  const blocks = readBlocks();
  const rows: Row[] = [];
  await using parts = new AsyncDisposableStack();
  parts.defer(() => keepLogs(ground.folder));
  const links = startLinks(ground.keeper);
  parts.defer(() => links.close());
  const { createLink } = links;
  say("starting three etcd and three PostgreSQL under Patroni");
  const cluster = parts.adopt(await startCluster({ ...ground, blocks, createLink }), (it) => it.close());
  const { nodes } = cluster;
  const near = parts.adopt(await startSite({ ...ground, name: "near", nodes, blocks, createLink }), (it) => it.close());
  const far = parts.adopt(await startSite({ ...ground, name: "far", nodes, blocks, createLink }), (it) => it.close());
  const backdrop = parts.adopt(await startBackdrop({ ...ground, cluster, site: near }), (it) => it.close());
  if (!values.json) console.log(tableHead());
  let brokenOff = 0;
  for (const scenario of scenarios) {
    const report = (text: string): void => say(`${scenario.name}: ${text}`);
    const run = { cluster, sites: [near, far] as const, keeper: ground.keeper, backdrop, say: report };
    const played = await withTrueClock(() => runScenario(scenario, run), report).catch((error: unknown) => {
      report(`broke off: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    });
    brokenOff += played.length === 0 ? 1 : 0;
    rows.push(...played);
    for (const row of played) console.log(values.json ? JSON.stringify(row) : tableRow(row));
  }
  return { rows, brokenOff };
}

/** On a machine that stood still meanwhile, as virtual ones do, the figures would be of that; the scenario is played once more. */
async function withTrueClock(scenario: () => Promise<Row[]>, report: (text: string) => void): Promise<Row[]> {
  const began = { wallMs: Date.now(), aliveMs: performance.now() };
  const rows = await scenario();
  const stoodMs = Date.now() - began.wallMs - (performance.now() - began.aliveMs);
  if (Math.abs(stoodMs) < CLOCK_JUMP_MS) return rows;
  report(`the clock of this machine jumped by ${(stoodMs / 1_000).toFixed(1)} s; once more`);
  return scenario();
}

/** What earlier runs printed, in the order of the scenarios; a scenario that was played again counts with its last rows alone. */
function readRows(files: readonly string[]): Row[] {
  const runs = files.map((file) => readFileSync(file, "utf8").split("\n").filter(Boolean));
  const newest = new Map<string, Row[]>();
  for (const lines of runs) {
    const rows = lines.map((line) => JSON.parse(line) as Row);
    for (const name of new Set(rows.map(({ scenario }) => scenario)))
      newest.set(
        name,
        rows.filter(({ scenario }) => scenario === name),
      );
  }
  return SCENARIOS.flatMap(({ name }) => newest.get(name) ?? []);
}

function writePage(rows: readonly Row[]): void {
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, "utf8"), rows));
  writeFileSync(PAGE.replace(/md$/, "svg"), pictureOf(rows));
}

/** What each program wrote, for whoever wants to know why. */
function keepLogs(folder: string): void {
  if (values.logs === undefined) return;
  mkdirSync(values.logs, { recursive: true });
  for (const name of readdirSync(folder).filter((file) => /\.(log|yml|cfg|ini)$/.test(file)))
    copyFileSync(join(folder, name), join(values.logs, name));
}

function say(text: string): void {
  const minutes = Math.floor((performance.now() - startedMs) / 60_000);
  const seconds = Math.floor((performance.now() - startedMs) / 1_000) % 60;
  console.error(`[${minutes}:${String(seconds).padStart(2, "0")}] ${text}`);
}
