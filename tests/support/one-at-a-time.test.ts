import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "lock-"))));
afterEach(() => rmSync(folder, { recursive: true }));

test("work under one lock does not overlap, and a failure gives the lock back", async () => {
  let busy = 0;
  const work = (outcome: "done" | "failed") => async () => {
    busy += 1;
    await turn();
    const together = busy;
    busy -= 1;
    if (outcome === "failed") throw new Error("failed");
    return together;
  };
  const lock = join(folder, "deep/lock");

  const results = await Promise.allSettled(
    (["done", "failed", "done"] as const).map((outcome) => oneAtATime(lock, work(outcome))),
  );

  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))).toEqual([1, 1]);
  expect(existsSync(lock)).toBe(false);
});

test("the lock of a process that has ended is taken over, and so is one that is older than any work", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const [ended, old] = [join(folder, "ended"), join(folder, "old")];
  writeFileSync(ended, `${pid}`);
  writeFileSync(old, `${process.pid}`);
  utimesSync(old, 0, 0);

  for (const lock of [ended, old]) expect(await oneAtATime(lock, () => Promise.resolve("done"))).toBe("done");
});
