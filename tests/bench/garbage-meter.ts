import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

export type Garbage = {
  allocatedBytes: number;
  promotedBytes: number;
  /** For how long the program stood still. */
  pausedMicros: number;
  collections: number;
};

/** What a Node process has allocated on its heap, and what of it became old, since this was last asked. */
export type GarbageMeter = { read: (pid: number) => Promise<Garbage> };

const PRELOAD = join(import.meta.dirname, "garbage-preload.ts");
const ANSWER_LIMIT_MS = 2_000;
const CHECK_MS = 5;

/** How a Node is started so that it can be measured. */
export const measuredNode = (file: string): { words: string[]; env: Record<string, string> } => ({
  words: ["--import", pathToFileURL(PRELOAD).href],
  env: { BENCH_GARBAGE_FILE: file },
});

export function createGarbageMeter(file: string): GarbageMeter {
  let linesRead = 0;
  const lines = (): string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []);
  return {
    read: async (pid) => {
      process.kill(pid, "SIGUSR2");
      const startedMs = performance.now();
      while (performance.now() - startedMs < ANSWER_LIMIT_MS) {
        const line = lines()[linesRead];
        if (line !== undefined) {
          linesRead += 1;
          return JSON.parse(line) as Garbage;
        }
        await pause(CHECK_MS);
      }
      throw new Error("the process does not tell what it has allocated");
    },
  };
}
