import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort, freePortsInRow } from "../support/free-port.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { isAlive, openProcessStage, type ProcessStage, type Served } from "../support/process-stage.ts";
import { openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

const START_TIMEOUT_MS = 90_000;
const DEADLINE_MS = 1_000;
/** What a drain may take past its deadline: the last settlements, and the wait for the output. A busy machine takes longer over it. */
const FAREWELL_MS = 15_000;

describe.skipIf(whyUnavailable("15"))("a reader of standard output that stalls", () => {
  let stage: ProcessStage;
  let pipes = 0;
  let open: number[] = [];
  beforeAll(async () => {
    stage = await openProcessStage();
  });
  afterEach(() => {
    for (const file of open) closeSync(file);
    open = [];
  });
  afterAll(() => stage?.close());

  /** The end of a pipe to write into, which is full; the other is held open, and nobody reads it. */
  function fullPipe(): number {
    const path = join(stage.folder, `pipe-${(pipes += 1)}`);
    execFileSync("mkfifo", [path]);
    open.push(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
    const filler = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    open.push(filler);
    try {
      for (;;) writeSync(filler, Buffer.alloc(4_096, "-"));
    } catch (error) {
      expect(error).toMatchObject({ code: "EAGAIN" });
    }
    const end = openSync(path, constants.O_WRONLY);
    open.push(end);
    return end;
  }

  type Running = { served: Served; url: string; adminPorts: number[] };

  async function start(workers: number, stdout: "pipe" | number): Promise<Running> {
    const [port, admin] = [await freePort(), await freePortsInRow(workers)];
    const adminPorts = Array.from({ length: workers }, (_, index) => admin + index);
    const served = stage.serve({
      words: ["--workers", `${workers}`],
      settings: {
        PORT: `${port}`,
        TOLLGATE_ADMIN_PORT: `${admin}`,
        TOLLGATE_DRAIN_DEADLINE_MS: `${DEADLINE_MS}`,
      },
      stdio: ["ignore", stdout, "pipe"],
      unread: true,
    });
    const ready = async (): Promise<boolean> => (await Promise.all(adminPorts.map(isReady))).every(Boolean);
    await until(async () => served.hasEnded() || (await ready()), "it is ready", START_TIMEOUT_MS);
    expect(served.hasEnded(), served.output()).toBe(false);
    return { served, url: `http://127.0.0.1:${port}`, adminPorts };
  }

  /** Its code and signal, or null when it is still there. */
  const endOf = ({ ended }: Served, withinMs: number) =>
    Promise.race([ended, new Promise((resolve) => setTimeout(() => resolve(null), withinMs).unref())]);

  test("holds up no exit after SIGTERM, be it a pipe or a socket", async () => {
    const [piped, socketed] = await Promise.all([start(1, fullPipe()), start(1, "pipe")]);
    // More than the socket takes.
    for (let round = 0; round < 40; round++)
      await Promise.all(Array.from({ length: 50 }, () => fetch(`${socketed.url}/v1/models/${"x".repeat(500)}`)));
    const streams = await Promise.all(
      [piped, socketed].map(({ url }) => openChatStream({ url, key: stage.key, model: "long" })),
    );
    const ends = streams.map(({ response }) => readAll(response));

    for (const { served } of [piped, socketed]) served.child.kill("SIGTERM");

    for (const { served } of [piped, socketed]) {
      expect(await endOf(served, DEADLINE_MS + FAREWELL_MS)).toEqual({ code: 0, signal: null });
    }
    for (const end of ends) expect((await end).text).not.toContain("[DONE]");
  });

  test("holds up no exit after a second signal", async () => {
    const { served, url } = await start(1, fullPipe());
    const { response } = await openChatStream({ url, key: stage.key, model: "long" });
    const end = readAll(response);

    served.child.kill("SIGTERM");
    await until(async () => !(await accepts(url)), "it drains");
    served.child.kill("SIGTERM");

    expect(await endOf(served, FAREWELL_MS)).toEqual({ code: 1, signal: null });
    expect(await end).toMatchObject({ broken: true });
  });

  test("holds up neither workers nor their parent, and the lines are counted", async () => {
    const { served, url, adminPorts } = await start(2, fullPipe());
    const [first = 0] = childrenOf(served.pid);
    expect(await stage.ask(url)).toBe(200);

    process.kill(first, "SIGTERM");
    await until(() => !isAlive(first), "a worker that was asked to go is gone", DEADLINE_MS + FAREWELL_MS);
    const ready = async () => (await Promise.all(adminPorts.map(isReady))).every(Boolean);
    await until(ready, "it is replaced", START_TIMEOUT_MS);
    const totals = await fetch(`http://127.0.0.1:${adminPorts[0]}/metrics/all`, {
      headers: { authorization: `Bearer ${stage.adminToken}` },
    });
    const dropped = Number(/^tollgate_log_lines_dropped_total (\d+)$/m.exec(await totals.text())?.[1]);
    expect(dropped).toBeGreaterThan(2);

    const workers = childrenOf(served.pid);
    served.child.kill("SIGTERM");
    expect(await endOf(served, DEADLINE_MS + FAREWELL_MS)).toEqual({ code: 0, signal: null });
    expect(workers.filter(isAlive)).toEqual([]);
  });
});

const isReady = async (adminPort: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

const accepts = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    () => true,
    () => false,
  );

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
