import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Processes, Started } from "./processes.ts";
import { CHAT_PATH, type Subject, UPSTREAM_MODELS } from "./subject.ts";

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

/** Published for this bench; each leads to the simulator's model of the same purpose, on a conformant route. */
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
  const catalogueFile = join(folder, "catalogue.json");
  writeFileSync(catalogueFile, JSON.stringify(catalogue()));
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
      "--catalogue",
      catalogueFile,
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

function catalogue(): object {
  const model = (id: string, upstreamModel: string): object => ({
    id,
    provider: "simulator",
    max_output_tokens: 16_384,
    price: { input: "1", output: "4" },
    routes: [{ provider: "simulator", upstream_model: upstreamModel, dialect: "chat", conformant: true }],
  });
  const { plain, stream, idle } = UPSTREAM_MODELS;
  return { models: [model(MODELS.plain, plain), model(MODELS.stream, stream), model(MODELS.idle, idle)] };
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
