import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** No work takes longer. An older lock was left behind, though another process may have the number of its owner by now. */
const OLDEST_MS = 1_800_000;

/** Does the work while no process of this machine does any under the same lock. A lock of a process that has ended is taken over. */
export async function oneAtATime<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(lock), { recursive: true });
  while (!taken(lock)) await sleep(50);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: "wx" });
    return true;
  } catch {
    if (isLeftBehind(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isLeftBehind(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > OLDEST_MS) return true;
    const owner = Number(readFileSync(lock, "utf8"));
    // Without a number it is just being written.
    return owner > 0 && !alive(owner);
  } catch {
    return false;
  }
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
