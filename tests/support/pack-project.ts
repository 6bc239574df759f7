import { execFileSync } from "node:child_process";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "../..");
const LOCK = join(ROOT, "node_modules/.pack-lock");
const PACK_TIMEOUT_MS = 150_000;

/** Packs the project into a folder: what `npm pack --json` prints. One at a time, since each builds `dist/` anew. */
export async function packProject(folder: string): Promise<string> {
  while (!lock()) await sleep(50);
  try {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };
    const args = ["pack", "--json", "--pack-destination", folder];
    return execFileSync("npm", args, { cwd: ROOT, env, encoding: "utf8", stdio: "pipe", timeout: PACK_TIMEOUT_MS });
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** A lock that outlived any packing was left by a run that was killed. */
function lock(): boolean {
  try {
    writeFileSync(LOCK, `${process.pid}`, { flag: "wx" });
    return true;
  } catch {
    if (ageMs() > PACK_TIMEOUT_MS) rmSync(LOCK, { force: true });
    return false;
  }
}

function ageMs(): number {
  try {
    return Date.now() - statSync(LOCK).mtimeMs;
  } catch {
    return 0;
  }
}
