import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSecretFile, readTextFile } from "../../config/read/read-text-file.ts";
import { createSecret, type Secret } from "../../core/secret/secret.ts";

/** What a running `tollgate dev` tells the commands beside it, and what `--ready-file` holds. */
export type DevReady = {
  publicUrl: string;
  adminUrl: string;
  adminToken: string;
  simulatorUrl: string;
  keys: { credit: string; token_budget: string };
};

export type DevState = DevReady & { pid: number };

export const DEFAULT_DEV_FOLDER = ".tollgate";
export const DEMO_FOLDER = ".tollgate-demo";
const STATE_FILE = "dev.json";
const OWNER_ONLY = 0o600;

/** The folder of `dev`, made if need be, for its owner alone: it holds keys. */
export function devFolder(folder: string): string {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

export function writeDevState(folder: string, state: DevState): void {
  writeFileSync(join(folder, STATE_FILE), `${JSON.stringify(state, null, 2)}\n`, { mode: OWNER_ONLY });
}

/** The key of credentials that are stored in the folder's database: made once, and for its owner alone like the folder. */
export function devCredentialKey(folder: string): Secret {
  const path = join(folder, "credential.key");
  try {
    writeFileSync(path, `${randomBytes(32).toString("base64")}\n`, { mode: OWNER_ONLY, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return createSecret(readSecretFile(path, readTextFile));
}

/** What the last `dev` in this folder wrote; null when there was none. */
export function readDevState(folder: string): DevState | null {
  try {
    return JSON.parse(readFileSync(join(folder, STATE_FILE), "utf8")) as DevState;
  } catch {
    return null;
  }
}

/** The `dev` that runs in this folder, with the demo or without; null when none does. */
export const findRunningDev = (): DevState | null => runningDevIn(DEFAULT_DEV_FOLDER) ?? runningDevIn(DEMO_FOLDER);

/** The `dev` whose data is in this folder; null when it does not run. */
export function runningDevIn(folder: string): DevState | null {
  const state = readDevState(folder);
  return state !== null && isRunning(state.pid) ? state : null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whoever waits for the file may read it as soon as it is there, so it appears whole. */
export function writeReadyFile(path: string, ready: DevReady): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(ready, null, 2)}\n`, { mode: OWNER_ONLY });
  renameSync(unfinished, path);
}

export function removeReadyFile(path: string): void {
  rmSync(path, { force: true });
}
