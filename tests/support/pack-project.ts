import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { oneAtATime } from "./one-at-a-time.ts";

const ROOT = join(import.meta.dirname, "../..");
const PACK_TIMEOUT_MS = 150_000;

/** Packs the project into a folder: what `npm pack --json` prints. One at a time, since each builds `dist/` anew. */
export const packProject = (folder: string): Promise<string> =>
  oneAtATime(join(ROOT, "node_modules/.pack-lock"), async () => {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };
    const args = ["pack", "--json", "--pack-destination", folder];
    return execFileSync("npm", args, { cwd: ROOT, env, encoding: "utf8", stdio: "pipe", timeout: PACK_TIMEOUT_MS });
  });
