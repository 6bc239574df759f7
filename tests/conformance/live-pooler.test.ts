import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LiveStage, send, startLiveStage } from "../support/live-stage.ts";
import { type Pgbouncer, startPgbouncer, whyNoPgbouncer } from "../support/pgbouncer.ts";
import { poolerConfiguration } from "../support/pooler-page.ts";
import { whyUnavailable } from "../support/postgres.ts";
import type { ServeProcess } from "../support/serve-process.ts";
import { readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

const missing = whyUnavailable("15") ?? whyNoPgbouncer();

describe.skipIf(missing !== null)("requests in flight behind PgBouncer, without direct_url", () => {
  let stage: LiveStage;
  let pooler: Pgbouncer;
  let gateway: ServeProcess;
  beforeAll(async () => {
    stage = await startLiveStage(1, {
      reach: async (direct) => {
        const url = new URL(direct);
        const database = url.pathname.slice(1);
        const configuration = (place: { listenPort: number; folder: string }) =>
          poolerConfiguration({ ...place, serverPort: Number(url.port), database }).replace(
            "tollgate =",
            `${database} =`,
          );
        pooler = await startPgbouncer({ configuration, users: { [url.username]: "for-tests" } });
        Object.assign(url, { port: String(pooler.port), password: "for-tests" });
        return url.href;
      },
    });
    [gateway] = stage.gateways as [ServeProcess];
    await until(() => gateway.output().includes("notifications of changes do not arrive"), "it knows");
  });
  afterAll(async () => {
    await stage?.close();
    await pooler?.close();
  });

  test("the first list is whole, also when nobody has watched for a while, and a cancel is confirmed", async () => {
    for (let round = 0; round < 3; round++) {
      const key = await stage.makeKey();
      const stream = await send({ gateway, key, format: "chat" });
      const reading = readAll(stream);
      // Nothing is published any more, so that this look is the first again.
      await until(async () => !(await stage.isWatched()), "nobody watches");
      const { data, silent } = await stage.live(gateway);
      const { status } = await stage.cancel(gateway, String(stream.headers["x-request-id"]));
      const { text } = await reading;

      expect({ silent, prefixes: data.map(({ key_prefix: prefix }) => prefix) }).toEqual({
        silent: 0,
        prefixes: [key.prefix],
      });
      expect(status).toBe(200);
      expect(text).toContain("request_cancelled");
    }
  });
});
