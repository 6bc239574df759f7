import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { oneAtATime } from "./one-at-a-time.ts";

/** Something a test needs from outside the project: where it is, or why it cannot be had. */
export type Installed = { folder: string; missing: null } | { folder: null; missing: string };

export type Installation = {
  name: string;
  /** Everything that decides what is in the folder; another content is another folder. */
  contents: unknown;
  install: (folder: string) => Promise<void>;
  /** Installations with the same word wait for each other, so that each uses what the one before has compiled. */
  inTurn?: string;
};

/**
 * Fills a folder of the cache once for all runs and all projects of this machine. It is filled under another name and then
 * renamed, so that nobody ever sees half of it, and two runs at once do the work twice instead of spoiling it.
 */
export async function installOnce({ name, contents, install, inTurn }: Installation): Promise<Installed> {
  const digest = createHash("sha256").update(JSON.stringify(contents)).digest("hex").slice(0, 12);
  const folder = join(cacheFolder(), `clients-${name}-${digest}`);
  const filled = (): Promise<Installed> => fill(folder, name, install);
  if (inTurn === undefined || existsSync(folder)) return filled();
  return oneAtATime(join(cacheFolder(), `${inTurn}.lock`), filled);
}

async function fill(folder: string, name: string, install: Installation["install"]): Promise<Installed> {
  if (existsSync(folder)) return { folder, missing: null };
  mkdirSync(cacheFolder(), { recursive: true });
  const unfinished = mkdtempSync(join(cacheFolder(), `unfinished-${name}-`));
  try {
    await install(unfinished);
    renameSync(unfinished, folder);
    return { folder, missing: null };
  } catch (error) {
    if (existsSync(folder)) return { folder, missing: null };
    return { folder: null, missing: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

export type Command = {
  words: readonly [string, ...string[]];
  cwd: string;
  environment?: Record<string, string>;
  timeoutMs: number;
};

/** Runs an installer to its end. Its registries and proxies are the machine's affair, so it gets the whole environment. */
export function runInstaller({ words: [program, ...args], cwd, environment = {}, timeoutMs }: Command): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "ignore", "pipe"],
      timeout: timeoutMs,
    });
    let said = "";
    child.stderr.on("data", (bytes: Buffer) => (said = (said + bytes.toString()).slice(-2_000)));
    child.on("error", (error) => reject(new Error(`${program}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${code ?? signal}: ${gistOf(said)}`));
    });
  });
}

/** Some installers say the reason first and some last; where their log is helps nobody who reads ours. */
function gistOf(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.includes("complete log of this run"));
  return [...new Set([lines.at(0), lines.at(-1)])].join(" … ");
}

const cacheFolder = (): string =>
  process.env["TOLLGATE_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tollgate");
