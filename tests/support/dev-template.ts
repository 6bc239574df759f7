import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MAIN } from "./run-tollgate.ts";
import { childEnvironment } from "./child-environment.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILD_TIMEOUT_MS = 120_000;
const FOLDER = ".tollgate";

/**
 * A gateway of a test asks its PGlite for little and ends soon. V8 compiles what is called often a second time, for speed: a second of
 * processor time on threads beside while a gateway starts. It does so later here, so that only what many requests call is compiled again.
 */
export const BRIEF_PGLITE = ["--wasm-tiering-budget=130000000"];

/**
 * Gives a folder the database that `tollgate dev` would make there, with its migrations done and its first keys in it. Making
 * one costs several seconds of processor time and copying it a few milliseconds, and a run of tests starts dozens.
 */
export async function copyDevTemplate(folder: string): Promise<void> {
  cpSync(join(await template(), FOLDER), join(folder, FOLDER), { recursive: true });
}

/** The first to come makes it, under a name that changes with whatever it is made from; the others wait for it. */
async function template(): Promise<string> {
  const folder = join(tmpdir(), `tollgate-dev-template-${fingerprint()}`);
  const underway = `${folder}.underway`;
  for (const until = Date.now() + 2 * BUILD_TIMEOUT_MS; Date.now() < until; await sleep(50)) {
    if (existsSync(folder)) return folder;
    // Whoever began it may have been killed.
    if (isOlder(underway, BUILD_TIMEOUT_MS)) rmSync(underway, { recursive: true, force: true });
    if (!claimed(underway)) continue;
    try {
      await build(underway);
      renameSync(underway, folder);
    } finally {
      rmSync(underway, { recursive: true, force: true });
    }
  }
  throw new Error(`${underway} is in the way: nobody finished making it`);
}

function isOlder(path: string, ms: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.birthtimeMs > ms;
}

function claimed(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

async function build(folder: string): Promise<void> {
  const ready = join(folder, "ready.json");
  const env = { ...childEnvironment(), HOME: folder };
  const child = spawn(process.execPath, [...BRIEF_PGLITE, MAIN, "dev", "--port", "0", "--ready-file", ready], {
    cwd: folder,
    env,
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  for (const until = Date.now() + BUILD_TIMEOUT_MS; !existsSync(ready); await sleep(20)) {
    if (child.exitCode !== null || Date.now() > until) throw new Error("the template of `tollgate dev` did not start");
  }
  child.kill("SIGTERM");
  await exited;
}

function fingerprint(): string {
  const hash = createHash("sha256");
  for (const file of globSync(["migrations/*.sql", "src/cli/**/dev*.ts", "src/db/pglite*.ts"], {
    cwd: ROOT,
  }).toSorted()) {
    hash.update(file).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
