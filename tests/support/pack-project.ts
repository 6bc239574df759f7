import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { oneAtATime } from "./one-at-a-time.ts";

const ROOT = join(import.meta.dirname, "../..");
const PACK_TIMEOUT_MS = 150_000;
const PRINTED = "printed.json";

/**
 * Packs the project into a folder: what `npm pack --json` prints. One at a time, since each builds `dist/` anew; and once in a whole run,
 * whose sources do not change.
 */
export const packProject = (folder: string): Promise<string> =>
  oneAtATime(join(ROOT, "node_modules/.pack-lock"), async () => {
    const run = process.env["TEST_PROGRAM"];
    if (run === undefined) return pack(folder);
    const kept = join(run, "packed");
    const printed = join(kept, PRINTED);
    if (!existsSync(printed)) {
      mkdirSync(kept, { recursive: true });
      writeFileSync(printed, pack(kept));
    }
    cpSync(kept, folder, { recursive: true });
    return readFileSync(printed, "utf8");
  });

function pack(folder: string): string {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };
  const args = ["pack", "--json", "--pack-destination", folder];
  return execFileSync("npm", args, { cwd: ROOT, env, encoding: "utf8", stdio: "pipe", timeout: PACK_TIMEOUT_MS });
}
