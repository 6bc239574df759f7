import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export const MAIN = join(import.meta.dirname, "../../src/main.ts");

export type Ran = { code: number | null; stdout: string; stderr: string };

/** Runs a command to its end, as a terminal would. */
export async function runTollgate(
  words: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...words], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
