import { vi } from "vitest";
import { runTollgate } from "../../src/cli/tollgate.ts";

type Surroundings = { environment: Record<string, string>; terminal?: boolean };

/** Runs a command in this process, since a new one takes longer than all that most commands do. */
export async function runCommand(words: readonly string[], { environment, terminal = false }: Surroundings) {
  const written = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
    process.exitCode = Number(code);
    return undefined as never;
  });
  const { isTTY } = process.stderr;
  process.stderr.isTTY = terminal;
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    await runTollgate(["node", "tollgate", ...words]);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    process.exitCode = undefined;
    process.stderr.isTTY = isTTY;
    vi.unstubAllEnvs();
    for (const spy of [...spies, exit]) spy.mockRestore();
  }
}
