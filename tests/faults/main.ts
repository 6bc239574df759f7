/**
 * Runs faults against a gateway process under light traffic, and prints how long it took until an operator could read of each, at every
 * place where one looks. Exits with 1 where a place stays silent or is late.
 */
import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { whyUnavailable } from "../support/postgres-binaries.ts";
import { whyNoPrometheus } from "../support/prometheus-process.ts";
import { FAULTS, type Fault } from "./faults.ts";
import { startStage } from "./stage.ts";
import { LOOKS, SURFACES, type Surface, watchSurfaces } from "./surfaces.ts";
import { startTraffic } from "./traffic.ts";

const USAGE = `npm run faults -- [options]

  --only NAME   the faults whose name begins so
  --json        JSON, one line for each fault
  --list        the faults
  --help        this text`;

/** Within so long each place must say it. */
const MOST_S = 5;
const BEFORE_MS = 8_000;
const LASTS_MS = 20_000;
const AFTER_MS = 3_000;
const MEND_MS = 60_000;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

type Row = {
  fault: string;
  sent: number;
  failed: number;
  /** Null: not at all. */
  said: Record<Surface, number | null>;
  /** After the mend: until requests succeed again, and until /healthz no longer tells of it. Null: not within a minute. */
  back: number | null;
  quiet: number | null;
};

async function main(): Promise<number> {
  const missing = whyUnavailable("15") ?? whyNoPrometheus();
  if (missing !== null) {
    console.log(`not run: ${missing}`);
    return 3;
  }
  const rows: Row[] = [];
  for (const fault of FAULTS.filter(({ name }) => name.startsWith(values.only))) {
    const row = await runFault(fault);
    rows.push(row);
    console.log(values.json ? JSON.stringify(row) : lineOf(row));
  }
  return rows.some(isBad) ? 1 : 0;
}

async function runFault(fault: Fault): Promise<Row> {
  const stage = await startStage(fault.wishes ?? {});
  try {
    const traffic = startTraffic(stage.gateway.url, stage.keys);
    await sleep(BEFORE_MS);
    await requireQuiet(fault, stage);
    const watching = watchSurfaces(stage, fault.says);
    const beganMs = performance.now();
    const sinceMs = (await fault.begin(stage)) ?? beganMs;
    const untilMs = performance.now() + LASTS_MS;
    while (performance.now() < untilMs && SURFACES.some((surface) => watching.saidMs[surface] === undefined))
      await sleep(50);
    await sleep(Math.max(0, sinceMs + AFTER_MS - performance.now()));
    await fault.end(stage);
    const mendedMs = performance.now();
    const isOver = (): boolean =>
      (traffic.firstSuccess(mendedMs) ?? Infinity) < performance.now() - AFTER_MS &&
      (traffic.lastFailure(mendedMs) ?? 0) < performance.now() - AFTER_MS &&
      (watching.stillMs.healthz ?? 0) < performance.now() - AFTER_MS;
    while (!isOver() && performance.now() < mendedMs + MEND_MS) await sleep(50);
    await Promise.all([watching.stop(), traffic.stop()]);
    const lastMs = Math.max(traffic.firstSuccess(mendedMs) ?? Infinity, traffic.lastFailure(mendedMs) ?? 0);
    const seconds = (ms: number | undefined, from: number): number | null =>
      ms === undefined || !Number.isFinite(ms) ? null : Math.max(0, Math.round((ms - from) / 100) / 10);
    const said = Object.fromEntries(
      SURFACES.map((surface) => [surface, seconds(watching.saidMs[surface], sinceMs)]),
    ) as Row["said"];
    const quiet = Math.max(mendedMs, watching.stillMs.healthz ?? 0);
    return {
      fault: fault.name,
      ...traffic.since(beganMs),
      said,
      back: seconds(lastMs, mendedMs),
      quiet: seconds(quiet, mendedMs),
    };
  } catch (error) {
    console.error(stage.gateway.output().split("\n").slice(-10).join("\n"));
    throw error;
  } finally {
    await stage.close();
  }
}

/** A place that says so already would be found in no time. */
async function requireQuiet({ name, says }: Fault, stage: Parameters<typeof watchSurfaces>[0]): Promise<void> {
  for (const surface of SURFACES)
    if (await LOOKS[surface](stage, says, stage.gateway.output().length))
      throw new Error(`${name}: ${surface} says so before the fault`);
}

const isBad = ({ said, back }: Row): boolean =>
  back === null || SURFACES.some((surface) => (said[surface] ?? Infinity) > MOST_S);

function lineOf({ fault, sent, failed, said, back, quiet }: Row): string {
  const cell = (value: number | null): string =>
    value === null ? "silent" : `${value.toFixed(1)}${value > MOST_S ? "!" : ""}`;
  const cells = SURFACES.map((surface) => `${surface} ${cell(said[surface])}`.padEnd(16));
  return `${fault.padEnd(22)}${`${failed} of ${sent}`.padEnd(13)}${cells.join("")}back ${cell(back).padEnd(8)}quiet ${cell(quiet)}`;
}

if (values.help) console.log(USAGE);
else if (values.list) for (const { name, about } of FAULTS) console.log(`${name.padEnd(22)}${about}`);
else process.exitCode = await main();
