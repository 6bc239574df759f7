import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePortsInRow } from "../support/free-port.ts";
import { type LiveStage, send, startLiveStage } from "../support/live-stage.ts";
import { whyUnavailable } from "../support/postgres.ts";
import type { ServeProcess } from "../support/serve-process.ts";
import { readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

describe.skipIf(whyUnavailable("15"))("requests in flight of `serve --workers`", () => {
  let stage: LiveStage;
  let parent: ServeProcess;
  /** The same gateway through the admin listener of each worker. */
  let workers: ServeProcess[];
  beforeAll(async () => {
    const settings = { TOLLGATE_ADMIN_PORT: `${await freePortsInRow(2)}` };
    stage = await startLiveStage(1, { words: ["--workers", "2"], settings });
    [parent] = stage.gateways as [ServeProcess];
    await until(() => parent.output().split("worker listening").length === 3, "both workers listen", 90_000);
    const ports = [...parent.output().matchAll(/"admin_port":(\d+)/g)].map(([, port]) => port);
    workers = ports.map((port) => ({ ...parent, adminUrl: `http://127.0.0.1:${port}` }));
  });
  afterAll(() => stage?.close());

  test("every worker lists the streams of all, and cancels those of another", async () => {
    const [key, [one, other]] = [await stage.makeKey(), workers as [ServeProcess, ServeProcess]];
    const streams = [];
    // Each on a connection of its own: the workers take them in turn.
    for (let no = 0; no < 4; no++) streams.push(await send({ gateway: parent, key, format: "chat" }));
    const reading = streams.map(readAll);
    const ids = streams.map(({ headers }) => String(headers["x-request-id"])).toSorted();

    const lists = [await stage.live(one), await stage.live(other)];
    const cancelled = await Promise.all(ids.map((id, no) => stage.cancel(no % 2 === 0 ? one : other, id)));
    const texts = await Promise.all(reading);

    expect(workers.length).toBe(2);
    for (const { data, processes, silent } of lists) {
      expect(data.map(({ request_id: id }) => id).toSorted()).toEqual(ids);
      expect({ processes, silent }).toEqual({ processes: 2, silent: 0 });
    }
    expect(cancelled.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { text } of texts) expect(text).toContain("request_cancelled");
    await until(async () => (await stage.fundsOf(key))["reserved"] === "0", "nothing is reserved");
  });
});
