import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { waitingFor } from "./time-spent.ts";

/** The sources, or in a whole run what scripts/test.ts packed of them, which starts in half the time. */
const PACKED = process.env["TEST_PROGRAM"];
export const MAIN = PACKED === undefined ? join(import.meta.dirname, "../../src/main.ts") : join(PACKED, "main.js");

export type Ran = { code: number | null; stdout: string; stderr: string };

/** Runs a command to its end, as a terminal would. `input` is what is piped into it; `main` may be that of another version. */
export const runTollgate = (words: readonly string[], options: RunOptions): Promise<Ran> =>
  waitingFor("command", () => run(words, options));

type RunOptions = { cwd: string; env: Record<string, string>; input?: string; main?: string };

async function run(words: readonly string[], { cwd, env, input, main = MAIN }: RunOptions): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...words], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  // A command that refuses before it has read what is piped in breaks the pipe; its exit code is what counts.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
