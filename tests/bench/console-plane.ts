/**
 * How long an operator waits who opens every page of the console over five million requests, and what that does to generations.
 * Usage: npm run bench:console -- --database URL [--rate N] [--rounds N] [--seconds N] [--times N] [--json FILE]
 * The database is one that tests/bench/plant-records.ts planted; the console has been built.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ConsoleReader, openConsole, type SeenPage } from "./console-reads.ts";
import { PROVIDER_DIALECTS } from "./dialects.ts";
import { createPlaneLoad, medianOf, percentile, ratioOf, type Window } from "./plane-load.ts";
import { createProcesses } from "./processes.ts";
import { startGenerator } from "./set-stage.ts";
import { mainFileOf, prepareTollgate } from "./start-tollgate.ts";

const { values: given } = parseArgs({
  options: {
    database: { type: "string" },
    rate: { type: "string", default: "500" },
    rounds: { type: "string", default: "2" },
    seconds: { type: "string", default: "15" },
    times: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
if (given.database === undefined) throw new Error("--database: the URL of a planted database");
const [rate, rounds, seconds, times] = [given.rate, given.rounds, given.seconds, given.times].map(Number) as [
  number,
  number,
  number,
  number,
];

const MOST_READY_MS = 1_000;
const MOST_REQUEST_MS = 300;
const MOST_REQUESTS = 8;
const LEAST_THROUGHPUT = 0.95;
const MOST_P99 = 1.5;
const startedMs = performance.now();
const tell = (line: string): void =>
  console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(4)} s  ${line}`);

const processes = createProcesses("anywhere");
const scratchFolder = mkdtempSync(join(tmpdir(), "tollgate-console-"));
process.once("exit", () => {
  processes.killAll();
  rmSync(scratchFolder, { recursive: true, force: true });
});

const generator = await startGenerator({ options: { load: "compiled" }, processes, scratchFolder, progress: tell });
const ground = await prepareTollgate({
  name: "tollgate",
  processes,
  mainFile: mainFileOf(join(import.meta.dirname, "../..")),
  dialects: PROVIDER_DIALECTS,
  providerUrl: generator.providerUrl,
  scratchFolder,
  profileFolder: null,
  databaseUrl: given.database,
});
try {
  const subject = await ground.start();
  const reader = await openConsole(subject, ground.adminToken);
  try {
    const alone = await loadAll(reader);
    const load = createPlaneLoad({ generator, subject, tell });
    const held = await load.highestRate(rate);
    let next = 0;
    const during: SeenPage[] = [];
    const windows = await load.windows({ rate: held, rounds, seconds }, async (signal) => {
      while (!signal.aborted) during.push(await reader.load(reader.paths[next++ % reader.paths.length] ?? "/"));
    });
    process.exitCode = report({ alone, held, windows, during, complaints: reader.complaints }).length === 0 ? 0 : 1;
  } finally {
    await reader.close();
  }
} finally {
  await ground.close();
  await processes.stopAll();
}

/** Every page a few times; of each, the visit in the middle. */
async function loadAll(reader: ConsoleReader): Promise<SeenPage[]> {
  const seen: SeenPage[] = [];
  for (const path of reader.paths) {
    const visits: SeenPage[] = [];
    for (let time = 0; time < times; time += 1) visits.push(await reader.load(path));
    const middle = percentile(
      visits.map(({ readyMs }) => readyMs),
      0.5,
    );
    const page = visits.find(({ readyMs }) => readyMs === middle);
    if (page !== undefined) seen.push(page);
    tell(`${path}: ready after ${middle.toFixed(0)} ms, ${page?.requests ?? 0} requests`);
  }
  return seen;
}

type Findings = {
  alone: SeenPage[];
  held: number;
  windows: Window[];
  during: SeenPage[];
  complaints: readonly string[];
};

function report({ alone, held, windows, during, complaints }: Findings): string[] {
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  console.log(`\n${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}; Node ${process.versions.node}\n`);
  console.log(row(["Page", "ready ms", "requests", "slowest ms", "which"]));
  console.log("|---|---|---|---|---|");
  for (const { path, readyMs, requests, slowestMs, slowest } of alone)
    console.log(row([path, readyMs.toFixed(0), requests, slowestMs.toFixed(0), slowest]));
  const [throughput, p99] = [ratioOf(windows, ({ perSecond }) => perSecond), ratioOf(windows, (window) => window.p99)];
  const [without, beside] = [false, true].map((read) => medianOf(windows, read, (window) => window.p99).toFixed(1));
  const readyMs = percentile(
    during.map((page) => page.readyMs),
    0.5,
  );
  console.log(
    `\nbeside an operator who opened ${during.length} pages (ready after ${readyMs.toFixed(0)} ms at the median): throughput × ${throughput.toFixed(3)}, p99 × ${p99.toFixed(2)} (${without} ms, ${beside} ms), at ${held} of ${rate} generations/s`,
  );
  const missed = [
    ...alone.flatMap(({ path, readyMs: ready, requests, slowestMs, slowest }) => [
      ...(ready <= MOST_READY_MS ? [] : [`${path}: ready after ${ready.toFixed(0)} ms, at most ${MOST_READY_MS}`]),
      ...(requests <= MOST_REQUESTS ? [] : [`${path}: ${requests} requests, at most ${MOST_REQUESTS}`]),
      ...(slowestMs <= MOST_REQUEST_MS
        ? []
        : [`${path}: ${slowest} took ${slowestMs.toFixed(0)} ms, at most ${MOST_REQUEST_MS}`]),
    ]),
    ...(held < rate ? [`the machine holds ${held} of ${rate} generations/s`] : []),
    ...(throughput >= LEAST_THROUGHPUT ? [] : [`throughput × ${throughput.toFixed(3)}, at least ${LEAST_THROUGHPUT}`]),
    ...(p99 <= MOST_P99 ? [] : [`p99 × ${p99.toFixed(2)}, at most ${MOST_P99}`]),
    ...complaints.map((text) => `the browser said: ${text}`),
  ];
  for (const reason of missed) console.log(`missed: ${reason}`);
  if (missed.length === 0) console.log("nothing was missed");
  if (given.json !== undefined)
    writeFileSync(given.json, `${JSON.stringify({ alone, during, held, windows, missed }, null, 2)}\n`);
  return missed;
}
