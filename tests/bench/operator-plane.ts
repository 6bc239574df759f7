/**
 * What operators who look at everything do to generations, and how long they wait themselves. Plants records unless the database has
 * them, reads every list, series, export page and lookup, then sends generations at a fixed rate with and without these reads, in turn.
 * Usage: npm run bench:plane -- [--records N] [--charges N] [--rate N] [--reads N] [--database URL] [--json FILE]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PROVIDER_DIALECTS } from "./dialects.ts";
import { type OperatorRead, operatorReads } from "./operator-reads.ts";
import { createPlaneLoad, type PlaneLoad, medianOf, percentile, ratioOf, type Window } from "./plane-load.ts";
import { createProcesses } from "./processes.ts";
import { startGenerator } from "./set-stage.ts";
import { mainFileOf, prepareTollgate } from "./start-tollgate.ts";
import { missedOf } from "./plane-verdict.ts";
import type { Subject } from "./subject.ts";

const { values: given } = parseArgs({
  options: {
    records: { type: "string", default: "5000000" },
    charges: { type: "string", default: "2000000" },
    rate: { type: "string", default: "500" },
    reads: { type: "string", default: "10" },
    rounds: { type: "string", default: "4" },
    seconds: { type: "string", default: "10" },
    times: { type: "string", default: "40" },
    database: { type: "string" },
    json: { type: "string" },
  },
});
const [rate, readsPerSecond, rounds, seconds, times] = [
  given.rate,
  given.reads,
  given.rounds,
  given.seconds,
  given.times,
].map(Number) as [number, number, number, number, number];

const ROOT = join(import.meta.dirname, "../..");
const startedMs = performance.now();
const tell = (line: string): void =>
  console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(4)} s  ${line}`);

type Timed = OperatorRead & { ms: number[]; failures: string[] };

const processes = createProcesses("anywhere");
const scratchFolder = mkdtempSync(join(tmpdir(), "tollgate-plane-"));
process.once("exit", () => {
  processes.killAll();
  rmSync(scratchFolder, { recursive: true, force: true });
});

const generator = await startGenerator({ options: { load: "compiled" }, processes, scratchFolder, progress: tell });
const ground = await prepareTollgate({
  name: "tollgate",
  processes,
  mainFile: mainFileOf(ROOT),
  dialects: PROVIDER_DIALECTS,
  providerUrl: generator.providerUrl,
  scratchFolder,
  profileFolder: null,
  ...(given.database !== undefined && { databaseUrl: given.database }),
});
try {
  plant(ground.databaseUrl);
  const subject = await ground.start();
  const reads: Timed[] = (await operatorReads(ground.databaseUrl)).map((read) => ({ ...read, ms: [], failures: [] }));
  for (let round = 0; round < times; round += 1) for (const read of reads) await take(subject, read);
  tell(`${reads.length} reads, ${times} times each, alone`);
  const alone = reads.map(summaryOf);
  const load = createPlaneLoad({ generator, subject, tell });
  const held = await load.highestRate(rate);
  const windows = await beside({ held, reads }, subject, load);
  process.exitCode = report({ alone, held, windows }).length === 0 ? 0 : 1;
} finally {
  await ground.close();
  await processes.stopAll();
}

function plant(databaseUrl: string): void {
  const words = ["--database", databaseUrl, "--records", given.records, "--charges", given.charges];
  if (given.database !== undefined) return;
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "plant-records.ts"), ...words], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`planting ended with ${status}`);
}

/** Asks once, and keeps how long the whole answer took. */
async function take(subject: Subject, read: Timed): Promise<void> {
  const begunMs = performance.now();
  const response = await fetch(`${subject.adminOrigin}/admin/v1/${read.path}`, {
    headers: { authorization: `Bearer ${ground.adminToken}` },
  });
  const body = await response.text();
  if (response.status === 200) read.ms.push(performance.now() - begunMs);
  else read.failures.push(`${response.status} ${body.slice(0, 200)}`);
}

function summaryOf({ kind, name, ms, failures }: Timed) {
  const [p50, p95] = [percentile(ms, 0.5), percentile(ms, 0.95)];
  return { kind, name, times: ms.length, p50, p95, failed: failures[0] ?? null };
}

/** Windows of generations with and without these reads. */
async function beside({ held, reads }: { held: number; reads: Timed[] }, subject: Subject, load: PlaneLoad) {
  const during: Timed[] = reads.map((read) => ({ ...read, ms: [], failures: [] }));
  let next = 0;
  const windows = await load.windows({ rate: held, rounds, seconds }, async (signal) => {
    const open: Promise<void>[] = [];
    while (!signal.aborted) {
      const read = during[next++ % during.length];
      if (read !== undefined) open.push(take(subject, read));
      await pause(1_000 / readsPerSecond, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(open);
  });
  return { windows, during: during.map(summaryOf) };
}

type Findings = { alone: ReturnType<typeof summaryOf>[]; held: number; windows: Awaited<ReturnType<typeof beside>> };

function report({ alone, held, windows: { windows, during } }: Findings): string[] {
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  const ms = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? "–" : value.toFixed(1);
  console.log(`\n${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}; Node ${process.versions.node}\n`);
  console.log(row(["Read", "p50 ms", "p95 ms", `p95 ms beside ${held} generations/s`, "Failed"]));
  console.log("|---|---|---|---|---|");
  for (const [at, { kind, name, p50, p95, failed }] of alone.entries())
    console.log(row([`${kind}: ${name}`, ms(p50), ms(p95), ms(during[at]?.p95), failed ?? during[at]?.failed ?? ""]));
  const median = (which: boolean, of: (window: Window) => number): number => medianOf(windows, which, of);
  console.log(`\n${row([`${rounds} windows of ${seconds} s each`, "generations/s", "p50 ms", "p99 ms", "failed"])}`);
  console.log("|---|---|---|---|---|");
  for (const which of [false, true])
    console.log(
      row([
        which ? `with ${readsPerSecond} reads/s` : "without readers",
        median(which, ({ perSecond }) => perSecond).toFixed(1),
        ms(median(which, ({ p50 }) => p50)),
        ms(median(which, ({ p99 }) => p99)),
        windows.filter(({ read }) => read === which).reduce((sum, { failures }) => sum + failures, 0),
      ]),
    );
  const [throughput, p99] = [ratioOf(windows, ({ perSecond }) => perSecond), ratioOf(windows, (window) => window.p99)];
  console.log(
    `\nthroughput × ${throughput.toFixed(3)} (at least 0.95), p99 × ${p99.toFixed(2)} (at most 1.5), at ${held} of ${rate} generations/s`,
  );
  const missed = [
    ...(held < rate ? [`the machine holds ${held} of ${rate} generations/s`] : []),
    ...missedOf({ alone, during, throughput, p99, windows }),
  ];
  for (const reason of missed) console.log(`missed: ${reason}`);
  if (missed.length === 0) console.log("nothing was missed");
  if (given.json !== undefined)
    writeFileSync(
      given.json,
      `${JSON.stringify({ date: new Date().toISOString().slice(0, 10), cores: cpus().length, records: Number(given.records), charges: Number(given.charges), rate, held, readsPerSecond, alone, during, windows, missed }, null, 2)}\n`,
    );
  return missed;
}
