import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Processes, Started } from "./processes.ts";
import { CHAT_PATH, type Subject } from "./subject.ts";

export type TollgateStart = {
  processes: Processes;
  mainFile: string;
  providerUrl: string;
  /** Its data, its log and its ready file go into a folder of their own below this one. */
  scratchFolder: string;
  profileFolder: string | null;
};

const READY_LIMIT_MS = 60_000;
const READY_CHECK_MS = 50;
const LOG_TAIL_CHARACTERS = 2_000;

/** The models that `tollgate dev` publishes for this bench; each leads to the simulator's model of the same purpose. */
const MODELS: Subject["models"] = { plain: "sim-bench-plain", stream: "sim-bench-stream", idle: "sim-bench-idle" };

/** The built JavaScript when there is one: it is what users run. */
export function tollgateMainFile(given: string | null): string {
  if (given !== null) return resolve(given);
  const root = join(import.meta.dirname, "../..");
  const built = join(root, "dist/main.js");
  return existsSync(built) ? built : join(root, "src/main.ts");
}

/** Starts Tollgate as `dev` does, with its default settings, its log in a file and the bench's provider behind it. */
export async function startTollgate(start: TollgateStart): Promise<Subject> {
  const folder = mkdtempSync(join(start.scratchFolder, "tollgate-"));
  const readyFile = join(folder, "ready.json");
  const logFile = join(folder, "tollgate.log");
  const profile: string[] = [];
  if (start.profileFolder !== null) {
    mkdirSync(start.profileFolder, { recursive: true });
    profile.push("--cpu-prof", `--cpu-prof-dir=${resolve(start.profileFolder)}`);
  }

  const process = start.processes.start({
    words: [
      ...profile,
      start.mainFile,
      "dev",
      "--port",
      "0",
      "--ready-file",
      readyFile,
      "--simulator",
      start.providerUrl,
    ],
    role: "proxy",
    cwd: folder,
    logFile,
  });
  const ready = await waitUntilReady(process, { readyFile, logFile });
  return {
    name: "tollgate",
    url: `${ready.publicUrl}${CHAT_PATH}`,
    credential: ready.keys.credit,
    models: MODELS,
    process,
  };
}

type Ready = { publicUrl: string; keys: { credit: string } };

async function waitUntilReady(process: Started, files: { readyFile: string; logFile: string }): Promise<Ready> {
  const startedMs = performance.now();
  const state = { running: true };
  void process.ended.then(() => {
    state.running = false;
  });
  while (state.running && performance.now() - startedMs < READY_LIMIT_MS) {
    const ready = existsSync(files.readyFile) ? parseReady(readFileSync(files.readyFile, "utf8")) : null;
    if (ready !== null) return ready;
    await pause(READY_CHECK_MS);
  }
  const log = readFileSync(files.logFile, "utf8").slice(-LOG_TAIL_CHARACTERS);
  throw new Error(
    `Tollgate ${state.running ? "was not ready in time" : "ended before it was ready"}. Its log ends with:\n${log}`,
  );
}

/** Null while the file is still being written. */
function parseReady(text: string): Ready | null {
  try {
    return JSON.parse(text) as Ready;
  } catch {
    return null;
  }
}
