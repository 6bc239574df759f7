import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export const MAIN = join(import.meta.dirname, "../../src/main.ts");

export type Ran = { code: number | null; stdout: string; stderr: string };

/** Runs a command to its end, as a terminal would. `input` is what is piped into it; without any it has no standard input. */
export async function runTollgate(
  words: readonly string[],
  { cwd, env, input }: { cwd: string; env: Record<string, string>; input?: string },
): Promise<Ran> {
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = spawn(process.execPath, [MAIN, ...words], { cwd, env, stdio: [stdin, "pipe", "pipe"] });
  child.stdin?.end(input);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
