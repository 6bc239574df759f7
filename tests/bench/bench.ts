/** Compares Tollgate with a bare Node proxy on this machine. `npm run bench -- --help` lists what can be asked for. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir } from "node:os";
import { join } from "node:path";
import { chartOf } from "./chart.ts";
import { crossingsOf } from "./crossings.ts";
import { crossingsTable } from "./crossings-table.ts";
import { messageOf } from "./message-of.ts";
import { type BenchOptions, HELP, parseOptions } from "./options.ts";
import { nodeFlagsOf } from "./node-flags.ts";
import { createProcesses } from "./processes.ts";
import { type Findings, runPhases } from "./run-phases.ts";
import { setStage } from "./set-stage.ts";
import type { Stage } from "./stage.ts";
import { mainFileOf } from "./start-tollgate.ts";
import { numberText, tableOf } from "./table.ts";
import { tailChartOf, tailTable } from "./tail-chart.ts";
import { goalsTable, judge, slowerThanBefore } from "./verdict.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  let options: BenchOptions | "help";
  try {
    options = parseOptions(words);
  } catch (error) {
    process.stderr.write(`bench: ${messageOf(error)}\n\n${HELP}`);
    return 2;
  }
  if (options === "help") {
    process.stdout.write(HELP);
    return 0;
  }

  const processes = createProcesses();
  const scratchFolder = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
  const cleanUp = (): void => {
    processes.killAll();
    rmSync(scratchFolder, { recursive: true, force: true });
  };
  process.once("exit", cleanUp);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

  const startedMs = performance.now();
  const progress = (text: string): void => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    process.stderr.write(`${String(seconds).padStart(4)} s  ${text}\n`);
  };
  try {
    const stage = await setStage({ options, processes, scratchFolder, progress });
    const findings = await runPhases(stage);
    await processes.stopAll();
    await stage.close();
    return publish(options, { ...findings, missing: stage.missing }, machineOf(stage));
  } catch (error) {
    process.stderr.write(`bench: ${messageOf(error)}\n`);
    return 1;
  } finally {
    await processes.stopAll();
  }
}

type Machine = Record<string, string | number | boolean>;

function publish(options: BenchOptions, findings: Findings & { missing: string[] }, machine: Machine): number {
  const crossings = crossingsOf(findings.translated);
  const tables = findings.sheets.map(tableOf);
  if (crossings.length > 0) tables.push(crossingsTable(crossings));
  if (findings.tail !== null) tables.push(tailTable(findings.tail));
  const goals = judge(findings.sheets, crossings);
  if (goals.length > 0) tables.push(goalsTable(goals));
  const missing = findings.missing.map((text) => `Not measured: ${text}`);
  process.stdout.write(`${[`## ${headingOf(machine)}`, ...tables, ...missing, validityOf(findings)].join("\n\n")}\n`);
  if (options.jsonFile !== null) {
    writeFileSync(options.jsonFile, `${JSON.stringify({ machine, goals, crossings, ...findings }, null, 2)}\n`);
  }
  if (options.svgFile !== null) writeFileSync(options.svgFile, chartOf(findings.sheets, headingOf(machine)));
  if (options.tailFile !== null && findings.tail !== null)
    writeFileSync(options.tailFile, tailChartOf(findings.tail, headingOf(machine)));
  const measured = findings.missing.length === 0 ? 0 : 1;
  if (options.thresholds === "shown") return measured;

  const missed = goals.filter(({ met }) => !met);
  const slower = slowerThanBefore(findings.sheets);
  for (const { title, reached, sense, limit, unit, doubt } of missed) {
    const figure = [reached === null ? "no figure" : numberText(reached), unit, doubt].join(" ").trim();
    process.stderr.write(`bench: ${title}: ${figure}; ${sense} ${limit} is demanded\n`);
  }
  for (const { sheet, ratio, least } of slower)
    process.stderr.write(
      `bench: ${sheet} reaches ${ratio?.toFixed(2) ?? "nothing"} of the version before; at least ${least} is demanded\n`,
    );
  return missed.length === 0 && slower.length === 0 ? measured : 1;
}

function validityOf({ sheets, translated }: Findings): string {
  const slices = [...sheets.flatMap((sheet) => sheet.slices), ...translated];
  const valid = slices.filter(({ invalid }) => invalid === null).length;
  return `${valid} of ${slices.length} slices are valid.`;
}

function machineOf({ processes, generator, options }: Stage): Machine {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    kernel: release(),
    node: process.version,
    pinned: processes.cores !== null,
    load: generator.kind,
    flags: (options.flags ?? nodeFlagsOf(options.mainFile ?? mainFileOf(join(import.meta.dirname, "../..")))).join(" "),
    slices: options.slices,
    seconds: options.sliceMs / 1000,
  };
}

function headingOf({ cores, node, load, slices, seconds }: Machine): string {
  return `${cores} cores, Node ${String(node).slice(1)}, ${load} load generator and provider, ${slices} slices of ${seconds} s`;
}
