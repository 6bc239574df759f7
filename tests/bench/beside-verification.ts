/**
 * What verification of the ledger does to generations. Plants charges, then sends generations at a fixed rate to one gateway that verifies by
 * itself, in windows where it does and in windows where it waits for its turn.
 * Usage: npm run bench:verification -- [--charges N] [--rate N] [--rounds N] [--seconds N] [--share PERCENT] [--json FILE]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { PROVIDER_DIALECTS } from "./dialects.ts";
import { createPlaneLoad, medianOf, ratioOf, type Window } from "./plane-load.ts";
import { createProcesses } from "./processes.ts";
import { startGenerator } from "./set-stage.ts";
import { mainFileOf, prepareTollgate } from "./start-tollgate.ts";

const { values: given } = parseArgs({
  options: {
    charges: { type: "string", default: "1000000" },
    rate: { type: "string", default: "300" },
    rounds: { type: "string", default: "10" },
    seconds: { type: "string", default: "15" },
    share: { type: "string", default: "2" },
    json: { type: "string" },
  },
});
const [rate, rounds, seconds] = [given.rate, given.rounds, given.seconds].map(Number) as [number, number, number];

const MOST_P99 = 1.05;
const LEAST_THROUGHPUT = 0.99;
const TURN_LIMIT_MS = 120_000;
/** The turn of a process that does not exist; a gateway stops at its next look at the turn. */
const NO_PROCESS = "00000000-0000-7000-8000-000000000000";
const startedMs = performance.now();
const tell = (line: string): void =>
  console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(4)} s  ${line}`);

const processes = createProcesses("anywhere");
const scratchFolder = mkdtempSync(join(tmpdir(), "tollgate-verification-"));
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
  settings: { TOLLGATE_VERIFICATION_SHARE_PERCENT: given.share },
});
const client = new Client({ connectionString: ground.databaseUrl });
try {
  plant();
  await client.connect();
  const subject = await ground.start();
  const load = createPlaneLoad({ generator, subject, tell });
  const held = await load.highestRate(rate);
  const worked: { beside: boolean; isChanged: boolean }[] = [];
  let before = "";
  const look = async (beside: boolean): Promise<void> => {
    worked.push({ beside, isChanged: (await progressNow()) !== before });
  };
  let last: boolean | null = null;
  const windows = await load.windows(
    {
      rate: held,
      rounds,
      seconds,
      prepare: async (verifies) => {
        if (last !== null) await look(last);
        last = verifies;
        await (verifies ? giveTurn() : takeTurn());
        before = await progressNow();
      },
    },
    async () => undefined,
  );
  if (last !== null) await look(last);
  process.exitCode = report(held, windows, worked).length === 0 ? 0 : 1;
} finally {
  await client.end();
  await ground.close();
  await processes.stopAll();
}

function plant(): void {
  const words = ["--database", ground.databaseUrl, "--records", "1000", "--charges", given.charges];
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "plant-records.ts"), ...words], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`planting ended with ${status}`);
}

/** Whatever a look at a day has written down. */
async function progressNow(): Promise<string> {
  const { rows } = await client.query<{ md5: string }>(
    "select md5(coalesce(string_agg(v::text, ',' order by day), '')) from verified_day v",
  );
  return rows[0]?.md5 ?? "";
}

/** Then nothing verifies: what was read until here is written down, and nothing more is. */
async function takeTurn(): Promise<void> {
  await client.query("update verification_turn set process_id = $1, lease_until = now() + interval '1 day'", [
    NO_PROCESS,
  ]);
  for (let still = "", now = "now"; still !== now;) {
    still = await progressNow();
    await pause(20_000);
    now = await progressNow();
  }
}

async function giveTurn(): Promise<void> {
  await client.query("update verification_turn set lease_until = '-infinity'");
  const until = performance.now() + TURN_LIMIT_MS;
  const before = await progressNow();
  while ((await progressNow()) === before) {
    if (performance.now() > until) throw new Error("the gateway did not verify within two minutes");
    await pause(500);
  }
}

function report(
  held: number,
  windows: readonly Window[],
  worked: readonly { beside: boolean; isChanged: boolean }[],
): string[] {
  console.log(`\n${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}; Node ${process.versions.node}\n`);
  console.log(
    `| ${rounds} windows of ${seconds} s each | generations/s | p50 ms | p99 ms | failed |\n|---|---|---|---|---|`,
  );
  for (const beside of [false, true]) {
    const median = (of: (window: Window) => number): number => medianOf(windows, beside, of);
    const failed = windows.filter(({ read }) => read === beside).reduce((sum, { failures }) => sum + failures, 0);
    const name = beside ? `beside verification, ${given.share} % of a core` : "alone";
    const [perSecond, p50, p99] = [median((one) => one.perSecond), median((one) => one.p50), median((one) => one.p99)];
    console.log(`| ${name} | ${perSecond.toFixed(1)} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${failed} |`);
  }
  const [throughput, p99] = [ratioOf(windows, ({ perSecond }) => perSecond), ratioOf(windows, (window) => window.p99)];
  console.log(
    `\nthroughput × ${throughput.toFixed(3)} (at least ${LEAST_THROUGHPUT}), p99 × ${p99.toFixed(3)} (at most ${MOST_P99}), at ${held} of ${rate} generations/s`,
  );
  const idle = worked.filter(({ beside, isChanged }) => beside && !isChanged).length;
  const missed = [
    ...(throughput >= LEAST_THROUGHPUT ? [] : [`throughput × ${throughput.toFixed(3)}`]),
    ...(p99 <= MOST_P99 ? [] : [`p99 × ${p99.toFixed(3)}`]),
    ...(idle === 0 ? [] : [`in ${idle} windows nothing was verified`]),
    ...(worked.some(({ beside, isChanged }) => !beside && isChanged)
      ? ["something was verified in a window without"]
      : []),
  ];
  for (const reason of missed) console.log(`missed: ${reason}`);
  if (missed.length === 0) console.log("nothing was missed");
  if (given.json !== undefined)
    writeFileSync(given.json, `${JSON.stringify({ held, windows, worked, missed }, null, 2)}\n`);
  return missed;
}
