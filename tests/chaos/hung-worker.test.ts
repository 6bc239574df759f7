import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, freePortsInRow } from "../support/free-port.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { addressesOf, isAlive, openProcessStage, type ProcessStage, type Served } from "../support/process-stage.ts";
import { openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

const START_TIMEOUT_MS = 90_000;

describe.skipIf(whyUnavailable("15"))("workers that stand still", () => {
  let stage: ProcessStage;
  let parent: Served;
  beforeAll(async () => {
    stage = await openProcessStage();
    // Asked by SIGUSR2, a process never returns to its event loop.
    writeFileSync(join(stage.folder, "loop.mjs"), `process.on("SIGUSR2", () => { for (;;); });`);
    parent = stage.serve({
      words: ["--workers", "3"],
      settings: {
        PORT: `${await freePort()}`,
        TOLLGATE_ADMIN_PORT: `${await freePortsInRow(3)}`,
        NODE_OPTIONS: `--import=${join(stage.folder, "loop.mjs")}`,
      },
    });
    await until(() => pids().length === 3 || parent.hasEnded(), "all workers listen", START_TIMEOUT_MS);
  });
  afterAll(() => stage?.close());

  const pids = (): number[] => parent.lines("worker listening").map((line) => line.worker_pid ?? 0);

  test("are killed and replaced, whether stopped or in an endless loop, and the living one serves meanwhile", async () => {
    const { publicUrl } = addressesOf(parent);
    const [stopped = 0, looping = 0] = pids();
    const streams = await Promise.all(
      Array.from({ length: 12 }, () => openChatStream({ url: publicUrl, key: stage.key, model: "long" })),
    );
    const ends = streams.map(({ response }) => readAll(response));
    process.kill(stopped, "SIGSTOP");
    process.kill(looping, "SIGUSR2");

    const asked: (number | string)[] = [];
    const replaced = (): boolean => pids().length === 5;
    const clients = Array.from({ length: 4 }, async () => {
      while (!replaced()) asked.push(await stage.ask(publicUrl));
    });
    await until(replaced, "both are replaced", START_TIMEOUT_MS);
    await Promise.all(clients);

    // Whoever was with one of the two is cut off instead of waiting.
    expect(asked.filter((end) => end !== 200 && end !== "ECONNRESET" && end !== "broken off")).toEqual([]);
    expect(asked.filter((end) => end === 200).length).toBeGreaterThan(4);
    expect([stopped, looping].filter(isAlive)).toEqual([]);
    const victims = [stopped, looping].toSorted((one, other) => one - other);
    const told = (message: string) =>
      parent.lines(message).toSorted((one, other) => (one.worker_pid ?? 0) - (other.worker_pid ?? 0));
    expect(told("worker hung")).toMatchObject(
      victims.map((pid) => ({ level: "error", worker_pid: pid, silent_ms: expect.any(Number) })),
    );
    expect(told("worker ended")).toMatchObject(victims.map((pid) => ({ worker_pid: pid, signal: "SIGKILL" })));
    for (const { request } of streams) request.destroy();
    await Promise.all(ends);
  });
});
