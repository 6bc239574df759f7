import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, freePortsInRow } from "../support/free-port.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { addressesOf, isAlive, openProcessStage, type ProcessStage, type Served } from "../support/process-stage.ts";
import { openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

const START_TIMEOUT_MS = 90_000;
const DEADLINE_MS = 6_000;
/** The last settlements, and closing what is open. */
const FAREWELL_MS = 15_000;

describe.skipIf(whyUnavailable("15"))("workers whose parent was killed", () => {
  let stage: ProcessStage;
  let ports: number[];
  let settings: Record<string, string>;
  beforeAll(async () => {
    stage = await openProcessStage();
    const [port, admin] = [await freePort(), await freePortsInRow(2)];
    ports = [port, admin, admin + 1];
    settings = {
      PORT: `${port}`,
      TOLLGATE_ADMIN_PORT: `${admin}`,
      TOLLGATE_DRAIN_DEADLINE_MS: `${DEADLINE_MS}`,
      // A balancer has nothing to wait for where the listener is free for another process.
      TOLLGATE_DRAIN_DELAY_MS: "3000",
    };
  });
  afterAll(() => stage?.close());

  const pidsOf = (served: Served, message = "worker listening"): number[] =>
    served.lines(message).map((line) => line.worker_pid ?? 0);
  const start = async (): Promise<Served> => {
    const served = stage.serve({ words: ["--workers", "2"], settings });
    await until(() => pidsOf(served).length === 2 || served.hasEnded(), "both workers listen", START_TIMEOUT_MS);
    expect(served.hasEnded(), served.output()).toBe(false);
    return served;
  };

  test("free their ports at once, end their streams within the deadline, and exit", async () => {
    const parent = await start();
    const { publicUrl } = addressesOf(parent);
    const open = (model: string) => openChatStream({ url: publicUrl, key: stage.key, model });
    const streams = await Promise.all([open("paced"), open("paced"), open("long")]);
    const [one, other, long] = streams.map(({ response }) => readAll(response));

    parent.child.kill("SIGKILL");
    await parent.ended;
    await until(
      async () => (await Promise.all(ports.map(isTaken))).every((taken) => !taken),
      "the ports are free",
      2_000,
    );
    const successor = await start();

    expect(await stage.ask(publicUrl)).toBe(200);
    for (const whole of [one, other])
      expect(await whole).toMatchObject({ broken: false, text: expect.stringMatching(/data: \[DONE\]\n\n$/) });
    expect((await long)?.text).not.toContain("[DONE]");
    await until(() => !pidsOf(parent).some(isAlive), "the workers are gone", DEADLINE_MS + FAREWELL_MS);
    expect(parent.lines("parent process gone")).toHaveLength(2);
    successor.child.kill("SIGTERM");
    expect(await successor.ended).toEqual({ code: 0, signal: null });
    expect(successor.lines("parent process gone")).toEqual([]);
  });

  test("exit also when they had not begun to serve", async () => {
    const parent = stage.serve({ words: ["--workers", "2"], settings });
    await until(() => pidsOf(parent, "worker started").length === 1, "one is starting", START_TIMEOUT_MS);

    parent.child.kill("SIGKILL");

    await until(() => !pidsOf(parent, "worker started").some(isAlive), "it is gone");
  });
});

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => (resolve(true), socket.destroy()));
    socket.once("error", () => resolve(false));
  });
