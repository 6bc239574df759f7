/** Compares Tollgate with a bare Node proxy on this machine. `npm run bench -- --help` lists what can be asked for. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir } from "node:os";
import { join } from "node:path";
import { chartOf } from "./chart.ts";
import { crossingsOf } from "./crossings.ts";
import { crossingsTable } from "./crossings-table.ts";
import { type BenchOptions, HELP, parseOptions } from "./options.ts";
import { createProcesses, type Processes } from "./processes.ts";
import { type Findings, runPhases } from "./run-phases.ts";
import type { Stage } from "./stage.ts";
import { directSubject, startBareProxy, startProvider } from "./start-subjects.ts";
import { prepareTollgate, tollgateMainFile, type TollgateGround } from "./start-tollgate.ts";
import type { Subject, SubjectName } from "./subject.ts";
import { tableOf } from "./table.ts";
import { missesAmong, missesOf } from "./verdict.ts";

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

  try {
    const stage = await setStage({ options, processes, scratchFolder });
    const findings = await runPhases(stage);
    await processes.stopAll();
    await stage.close();
    return publish(options, { findings, machine: machineOf(processes, options) });
  } catch (error) {
    process.stderr.write(`bench: ${messageOf(error)}\n`);
    return 1;
  } finally {
    await processes.stopAll();
  }
}

type Setting = { options: BenchOptions; processes: Processes; scratchFolder: string };

async function setStage({ options, processes, scratchFolder }: Setting): Promise<Stage> {
  const progress = (text: string): void => void process.stderr.write(`${text}\n`);
  if (processes.cores === null) progress("! nothing is pinned: this needs two cores and taskset. Ratios may flatter.");
  const provider = await startProvider(processes);
  const mainFile = tollgateMainFile(options.mainFile);

  const { profileFolder } = options;
  let ground: TollgateGround | null = null;
  const restart = async (name: SubjectName): Promise<Subject> => {
    if (name !== "tollgate") return startBareProxy(processes, provider);
    ground ??= await prepareTollgate({ processes, mainFile, providerUrl: provider.url, scratchFolder, profileFolder });
    return ground.start();
  };

  const proxies = [await restart("bare")];
  if (options.tollgate === "measured") {
    if (mainFile.endsWith(".ts")) progress("! nothing is built: measuring Tollgate from its source");
    proxies.push(await restart("tollgate"));
  }
  const close = async (): Promise<void> => ground?.close();
  return { options, processes, provider, direct: directSubject(provider), proxies, restart, progress, close };
}

type Publication = { findings: Findings; machine: Record<string, unknown> };

function publish(options: BenchOptions, { findings, machine }: Publication): number {
  const crossings = crossingsOf(findings.rounds.translated);
  if (findings.figures.length > 0) process.stdout.write(`${tableOf(findings.figures)}\n`);
  if (crossings.length > 0) process.stdout.write(`\n${crossingsTable(crossings)}\n`);
  if (options.jsonFile !== null) {
    writeFileSync(options.jsonFile, `${JSON.stringify({ machine, crossings, ...findings }, null, 2)}\n`);
  }
  if (options.svgFile !== null) writeFileSync(options.svgFile, chartOf(findings.figures));
  if (options.thresholds === "shown") return 0;

  const misses = [...missesOf(findings.figures), ...missesAmong(crossings)];
  for (const { kind, ratio, of, least } of misses) {
    process.stderr.write(`bench: ${kind} reaches ${ratio?.toFixed(2) ?? "nothing"} of ${of}; ${least} is demanded\n`);
  }
  return misses.length === 0 ? 0 : 1;
}

function machineOf(processes: Processes, options: BenchOptions): Record<string, unknown> {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    kernel: release(),
    node: process.version,
    pinned: processes.cores !== null,
    rounds: options.rounds,
    seconds: options.durationMs / 1000,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
