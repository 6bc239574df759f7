import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { childEnvironment } from "./child-environment.ts";

/** Why no terminal can be made here; null when one can. `script` of util-linux gives a command a terminal of its own. */
export const whyNoTerminal: string | null =
  spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0
    ? null
    : "needs `script` of util-linux";

/** `typed`: what to type, each once this was shown. */
type TerminalOptions = {
  cwd: string;
  env: Record<string, string>;
  columns: number;
  typed?: readonly { after: string; text: string }[];
};

/** Runs a line of a shell on a terminal of that width and gives back all that was shown, colour included. */
export async function runInTerminal(line: string, { cwd, env, columns, typed = [] }: TerminalOptions): Promise<string> {
  const child = spawn("script", ["-qec", `stty cols ${columns}; ${line}`, "/dev/null"], {
    cwd,
    env: { ...childEnvironment(), TERM: "xterm-256color", ...env },
    stdio: [typed.length === 0 ? "ignore" : "pipe", "pipe", "inherit"],
  });
  const waiting = [...typed];
  let shown = "";
  child.stdout?.on("data", (bytes: Buffer) => {
    shown += bytes.toString();
    if (waiting[0] && shown.includes(waiting[0].after)) child.stdin?.write(waiting.shift()?.text ?? "");
  });
  await once(child, "close");
  return shown.replaceAll("\r\n", "\n");
}
