import { join } from "node:path";
import { countProcessor, waitingFor } from "./time-spent.ts";
import { startProgram } from "./warm-process.ts";

/** The sources, or in a whole run what scripts/test.ts packed of them, which starts in half the time. */
const PACKED = process.env["TEST_PROGRAM"];
export const MAIN = PACKED === undefined ? join(import.meta.dirname, "../../src/main.ts") : join(PACKED, "main.js");

export type Ran = { code: number | null; stdout: string; stderr: string };

/**
 * Runs a command to its end, as a terminal would. `input` is what is piped into it; `main` may be that of another version. `alone`: in a
 * process that has run nothing before, whose last words could stand in the output.
 */
export const runTollgate = (words: readonly string[], options: RunOptions): Promise<Ran> =>
  waitingFor("command", () => run(words, options));

type RunOptions = { cwd: string; env: Record<string, string>; input?: string; main?: string; alone?: boolean };

async function run(
  words: readonly string[],
  { cwd, env, input, main = MAIN, alone = false }: RunOptions,
): Promise<Ran> {
  // Another version is another program.
  const command = await startProgram({ words, main, cwd, env, input, alone: alone || main !== MAIN });
  const code = await command.exited;
  countProcessor("command", command.processorMs());
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}
