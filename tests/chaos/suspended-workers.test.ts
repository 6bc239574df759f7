import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, freePortsInRow } from "../support/free-port.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { addressesOf, isAlive, openProcessStage, type ProcessStage, type Served } from "../support/process-stage.ts";
import { until } from "../support/until.ts";

const START_TIMEOUT_MS = 90_000;
/** Longer than a worker may be silent. */
const SUSPENDED_MS = 12_000;
/** The parent looks twice. */
const LOOKS_MS = 2_500;

describe.skipIf(whyUnavailable("15"))("a machine that is suspended", () => {
  let stage: ProcessStage;
  let parent: Served;
  beforeAll(async () => {
    stage = await openProcessStage();
    parent = stage.serve({
      words: ["--workers", "2"],
      settings: { PORT: `${await freePort()}`, TOLLGATE_ADMIN_PORT: `${await freePortsInRow(2)}` },
    });
    await until(() => pids().length === 2 || parent.hasEnded(), "both workers listen", START_TIMEOUT_MS);
  });
  afterAll(() => stage?.close());

  const pids = (): number[] => parent.lines("worker listening").map((line) => line.worker_pid ?? 0);

  test("costs no worker its life: the parent stood still as long", async () => {
    const all = [parent.pid, ...pids()];
    for (const pid of all) process.kill(pid, "SIGSTOP");
    await sleep(SUSPENDED_MS);
    for (const pid of all) process.kill(pid, "SIGCONT");
    await sleep(LOOKS_MS);

    expect(parent.lines("worker hung")).toEqual([]);
    expect(pids().filter(isAlive)).toEqual(pids());
    expect(await stage.ask(addressesOf(parent).publicUrl)).toBe(200);
  });
});
