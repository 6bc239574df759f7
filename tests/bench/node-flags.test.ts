import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { flagsIn, nodeFlagsOf } from "./node-flags.ts";

test("flags follow the word node in the first line of the program", () => {
  expect(flagsIn("#!/usr/bin/env node")).toEqual([]);
  expect(flagsIn("#!/usr/bin/env -S node --max-semi-space-size=32 --no-opt")).toEqual([
    "--max-semi-space-size=32",
    "--no-opt",
  ]);
  expect(flagsIn("#!/opt/node-26/bin/node --max-semi-space-size=32")).toEqual(["--max-semi-space-size=32"]);
  expect(flagsIn("import x")).toEqual([]);
});

test("a checkout is measured with its own flags, and Node takes them", () => {
  const root = mkdtempSync(join(tmpdir(), "bench-flags-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin/tollgate.js"), "#!/usr/bin/env -S node --max-semi-space-size=7\n");

  expect(nodeFlagsOf(join(root, "src/main.ts"))).toEqual(["--max-semi-space-size=7"]);
  expect(nodeFlagsOf(join(root, "elsewhere/src/main.ts"))).toEqual([]);
  const ours = nodeFlagsOf(join(import.meta.dirname, "../../src/main.ts"));
  expect(execFileSync(process.execPath, [...ours, "-e", "process.stdout.write('runs')"]).toString()).toBe("runs");
});

test("the image, which names another Node in the first line, keeps the flags", () => {
  const root = join(import.meta.dirname, "../..");
  const script = readFileSync(join(root, "deploy/image/assemble.sh"), "utf8");
  const [, edit = ""] = /^sed -i '(1s[^']+)' "\$app\/bin\/tollgate\.js"$/m.exec(script) ?? [];
  const [firstLine = ""] = execFileSync("sed", [edit, join(root, "bin/tollgate.js")], { encoding: "utf8" }).split("\n");

  expect(firstLine).toMatch(/^#!\/usr\/bin\/node/);
  expect(flagsIn(firstLine)).toEqual(nodeFlagsOf(join(root, "src/main.ts")));
});
