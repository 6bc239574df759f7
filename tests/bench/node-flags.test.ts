import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFlagsOf } from "./node-flags.ts";

const root = join(import.meta.dirname, "../..");
const { SERVE_FLAGS } = (await import(join(root, "bin/serve-flags.js"))) as { SERVE_FLAGS: string[] };

test("the bench starts a checkout with the flags that its program serves with", () => {
  expect(nodeFlagsOf(join(root, "src/main.ts"))).toEqual(SERVE_FLAGS);
  expect(nodeFlagsOf(join(root, "dist/main.js"))).toEqual(SERVE_FLAGS);
  expect(nodeFlagsOf("/nowhere/src/main.ts")).toEqual([]);
});

/** The program, with a main file that says how it was started. */
function program(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-flags-"));
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  mkdirSync(join(folder, "dist"));
  const report =
    "console.log(JSON.stringify({ flags: process.execArgv, words: process.argv.slice(2), pid: process.pid }));";
  writeFileSync(join(folder, "dist/main.js"), report);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return join(folder, "bin/tollgate.js");
}

const run = (words: readonly string[], nodeOptions = "") =>
  JSON.parse(
    execFileSync(process.execPath, words, { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: nodeOptions } }),
  ) as { flags: string[]; words: string[] };

test("`serve` runs with the flags, and other commands start without a second start", () => {
  const file = program();

  expect(run([file, "serve", "--workers", "2"])).toMatchObject({
    flags: SERVE_FLAGS,
    words: ["serve", "--workers", "2"],
  });
  expect(run([file, "keys", "list"])).toMatchObject({ flags: [], words: ["keys", "list"] });
});

test("flags of the operator's own for the young generation stand", () => {
  const file = program();

  expect(run(["--max-semi-space-size=8", file, "serve"]).flags).toEqual(["--max-semi-space-size=8"]);
  expect(run([file, "serve"], "--max-semi-space-size=8").flags).toEqual([]);
});
