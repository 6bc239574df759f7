import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Installed, installOnce, runInstaller } from "../support/install-once.ts";
import type { Held, LoadGenerator } from "./generator.ts";
import type { LoadJob, LoadResult } from "./load-job.ts";
import type { Processes, Started } from "./processes.ts";

const SOURCE_FOLDER = join(import.meta.dirname, "rig");
const FLAGS = ["-std=gnu17", "-O2", "-Wall", "-Wextra"];
const COMPILE_TIMEOUT_MS = 60_000;

/** Compiles the rig once per content and compiler; says why when that is not possible. */
export function compileRig(): Promise<Installed> {
  const names = readdirSync(SOURCE_FOLDER).toSorted();
  const sources = names.map((name) => readFileSync(join(SOURCE_FOLDER, name), "utf8"));
  const compiler = spawnSync("cc", ["--version"], { encoding: "utf8" }).stdout;
  const files = names.filter((name) => name.endsWith(".c")).map((name) => join(SOURCE_FOLDER, name));
  return installOnce({
    name: "bench-rig",
    contents: [FLAGS, names, sources, compiler, process.arch],
    install: (cwd) =>
      runInstaller({ words: ["cc", ...FLAGS, "-o", "rig", ...files], cwd, timeoutMs: COMPILE_TIMEOUT_MS }),
  });
}

export type RigStart = { processes: Processes; folder: string; answersFile: string };

/** Generator and provider in one thread. */
export async function startCompiledGenerator({ processes, folder, answersFile }: RigStart): Promise<LoadGenerator> {
  const rig = processes.start({ program: join(folder, "rig"), words: [answersFile], role: "load" });
  const { url } = JSON.parse(await rig.nextLine()) as { url: string };
  return {
    kind: "compiled",
    providerUrl: url,
    prepare: async (job) => {
      rig.write(`${commandOf(job)}\n`);
      rig.write(Buffer.from(job.request, "base64"));
      await answerOf(rig);
      return {
        pids: [rig.pid],
        go: async () => {
          rig.write("go\n");
          return answerOf<LoadResult>(rig);
        },
        look: async () => {
          rig.write("look\n");
          return answerOf<Held>(rig);
        },
        close: async () => {
          rig.write("close\n");
          await answerOf(rig);
        },
      };
    },
  };
}

/** See `rig.c` for the order. */
function commandOf(job: LoadJob): string {
  const { mode, port, connections, durationMs, ratePerSecond, leastBytes, atOnce, mostRequests, tagOffset } = job;
  const requestBytes = Buffer.from(job.request, "base64").length;
  const words = [mode, port, connections, durationMs, ratePerSecond, job.eventsPerStream ?? -1, leastBytes, atOnce];
  return ["prepare", ...words, mostRequests, tagOffset, requestBytes].join(" ");
}

async function answerOf<Answer>(rig: Started): Promise<Answer> {
  const answer = JSON.parse(await rig.nextLine()) as Answer & { error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}
