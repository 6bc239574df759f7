import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { recordAnswers, writeAnswers } from "./answers.ts";
import { compileRig, startCompiledGenerator } from "./compiled-generator.ts";
import { CALLER_DIALECTS, PROVIDER_DIALECTS } from "./dialects.ts";
import type { LoadGenerator } from "./generator.ts";
import type { BenchOptions } from "./options.ts";
import { messageOf } from "./message-of.ts";
import { nodeFlagsOf } from "./node-flags.ts";
import { preparePeer } from "./peers.ts";
import type { Processes } from "./processes.ts";
import type { Stage } from "./stage.ts";
import { directSubject, startBareProxy } from "./start-bare.ts";
import { startSimulator } from "./start-simulator.ts";
import { mainFileOf, prepareTollgate, type TollgateGround } from "./start-tollgate.ts";
import { BARE, BEFORE, type Subject, TOLLGATE } from "./subject.ts";
import { startTypeScriptGenerator } from "./typescript-generator.ts";

export type Setting = {
  options: BenchOptions;
  processes: Processes;
  scratchFolder: string;
  progress: Stage["progress"];
};

const ROOT = join(import.meta.dirname, "../..");

/** Starts everything that takes part. */
export async function setStage(setting: Setting): Promise<Stage> {
  const { options, processes, scratchFolder, progress } = setting;
  if (processes.cores === null) progress("! nothing is pinned: this needs two cores and taskset. Ratios may flatter.");
  const generator = await startGenerator(setting);
  const { providerUrl } = generator;

  const starts = new Map<string, () => Promise<Subject>>();
  starts.set(BARE, () => startBareProxy({ processes, providerUrl, scratchFolder }));
  const grounds: TollgateGround[] = [];
  for (const { name, mainFile, dialects } of versionsOf(setting)) {
    const { profileFolder } = options;
    const flags = (name === TOLLGATE ? options.flags : null) ?? nodeFlagsOf(mainFile);
    progress(`${name}: ${[mainFile, ...flags].join(" ")}`);
    const ground = await prepareTollgate({
      name,
      processes,
      mainFile,
      dialects,
      providerUrl,
      scratchFolder,
      profileFolder,
      flags,
      tail: name === TOLLGATE && options.tailFile !== null ? "noted" : "no",
      chain: name === TOLLGATE && options.phases.has("chain") ? "yes" : "no",
    });
    grounds.push(ground);
    starts.set(name, ground.start);
  }
  const subjects: Subject[] = [];
  for (const start of starts.values()) subjects.push(await start());
  const missing: string[] = [];
  for (const choice of options.against) {
    progress(`${choice.name}: installing unless it is in the cache`);
    try {
      const peer = await preparePeer(choice, { processes, providerUrl, scratchFolder });
      subjects.push(await peer.start());
      starts.set(peer.name, peer.start);
    } catch (error) {
      missing.push(messageOf(error));
      progress(`! ${messageOf(error)}`);
    }
  }

  const restart = async (name: string): Promise<Subject> => {
    const start = starts.get(name);
    if (start === undefined) throw new Error(`${name} takes no part`);
    return start();
  };
  const close = async (): Promise<void> => void (await Promise.all(grounds.map((ground) => ground.close())));
  const direct = directSubject(providerUrl);
  return { options, processes, generator, direct, subjects, missing, restart, progress, close };
}

/** The compiled generator where it can be had; its provider sends what the simulator said. */
export async function startGenerator({
  options,
  processes,
  scratchFolder,
  progress,
}: Omit<Setting, "options"> & { options: Pick<BenchOptions, "load"> }): Promise<LoadGenerator> {
  if (options.load === "typescript") return startTypeScriptGenerator(processes);
  const rig = await compileRig();
  if (rig.missing !== null) {
    progress(`! the load generator cannot be compiled, so the one in TypeScript is used: ${rig.missing}`);
    return startTypeScriptGenerator(processes);
  }
  const simulator = await startSimulator(processes);
  const answersFile = join(mkdtempSync(join(scratchFolder, "answers-")), "answers");
  writeAnswers(answersFile, await recordAnswers(simulator.url));
  await simulator.process.stop();
  return startCompiledGenerator({ processes, folder: rig.folder, answersFile });
}

function versionsOf({ options, progress }: Setting) {
  const mainFile = options.mainFile ?? mainFileOf(ROOT);
  const versions = options.tollgate === "left out" ? [] : [{ name: TOLLGATE, mainFile, dialects: PROVIDER_DIALECTS }];
  if (options.beforeFolder !== null) {
    const before = mainFileOf(options.beforeFolder);
    if (before.endsWith(".ts") !== mainFile.endsWith(".ts"))
      progress("! one version is built and the other is not: build both or none, so that only the versions differ");
    versions.push({ name: BEFORE, mainFile: before, dialects: CALLER_DIALECTS });
  }
  return versions;
}
