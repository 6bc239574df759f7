import { spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAIN } from "../../tests/support/run-tollgate.ts";

const FULL = "/dev/full";

function start(words: readonly string[], stdio: StdioOptions) {
  return spawn(process.execPath, [MAIN, ...words], { cwd: tmpdir(), env: {}, stdio });
}

async function endOf(child: ReturnType<typeof start>): Promise<{ code: number | null; stderr: string }> {
  let stderr = "";
  child.stderr?.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr };
}

test("a reader that has left ends a command without a word", async () => {
  const child = start(["config", "show"], ["ignore", "pipe", "pipe"]);
  child.stdout?.destroy();

  expect(await endOf(child)).toEqual({ code: 1, stderr: "" });
});

test("errors that nobody reads leave the exit code as it is", async () => {
  const script = `import { mindOutput } from ${JSON.stringify(join(import.meta.dirname, "mind-output.ts"))};
    mindOutput();
    process.stdin.once("data", () => process.stderr.write("progress")).once("end", () => process.stdout.write("done"));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "pipe"] });
  child.stderr.destroy();
  child.stdin.end("go");

  const [code] = (await once(child, "exit")) as [number | null];
  expect(code).toBe(0);
});

test.skipIf(!existsSync(FULL))("a result that cannot be written is a failure in one sentence", async () => {
  const full = openSync(FULL, "w");
  const child = start(["config", "show"], ["ignore", full, "pipe"]);
  closeSync(full);

  expect(await endOf(child)).toEqual({ code: 1, stderr: "tollgate: ENOSPC: no space left on device, write.\n" });
});
