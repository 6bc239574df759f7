import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Started } from "./processes.ts";

const CHECK_MS = 50;
const TAIL_CHARACTERS = 2_000;

export type Waiting = { name: string; process: Started; logFile: string; limitMs: number };

/** Waits until a process that writes to a file is ready; throws with the end of its log when it is not. */
export async function waitUntil<Sign>(
  { name, process, logFile, limitMs }: Waiting,
  signOf: (log: string) => Sign | null | Promise<Sign | null>,
): Promise<Sign> {
  const log = (): string => (existsSync(logFile) ? readFileSync(logFile, "utf8") : "");
  const startedMs = performance.now();
  const state = { running: true };
  void process.ended.then(() => {
    state.running = false;
  });
  while (state.running && performance.now() - startedMs < limitMs) {
    const sign = await signOf(log());
    if (sign !== null) return sign;
    await pause(CHECK_MS);
  }
  const how = state.running ? `was not ready after ${limitMs / 1000} s` : "ended before it was ready";
  throw new Error(`${name} ${how}. Its log ends with:\n${log().slice(-TAIL_CHARACTERS)}`);
}
