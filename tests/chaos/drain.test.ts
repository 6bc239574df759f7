import { expect, test } from "vitest";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { eventsOf, openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

const STREAMS = 200;

test(`SIGTERM with ${STREAMS} open streams: all end whole, nothing new begins, exit code 0`, async () => {
  const gateway = await startGatewayProcess({
    models: { paced: { upstream: "sim+tokens=40+rate=10" } },
    // As long as the streams take, so that a busy machine has time to be asked once more.
    settings: { TOLLGATE_DRAIN_DELAY_MS: "5000" },
  });
  const ask = { url: gateway.publicUrl, key: gateway.keys.credit, model: "paced" };
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => openChatStream(ask)));
  const ends = Promise.all(streams.map(({ response }) => readAll(response)));

  const stopped = gateway.stop();
  await until(async () => (await fetch(`${gateway.publicUrl}/readyz`)).status === 503, "it reports not ready");
  const late = await openChatStream(ask);
  const { text } = await readAll(late.response);

  expect(late.status).toBe(503);
  expect(late.response.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
  expect(JSON.parse(text)).toMatchObject({ error: { code: "service_unavailable" } });
  const results = await ends;
  expect(results.filter((result) => result.broken || !result.text.endsWith("data: [DONE]\n\n"))).toEqual([]);
  expect(new Set(results.map((result) => eventsOf(result.text).length))).toEqual(new Set([43]));
  expect(await stopped).toBe(0);
});

test("an idle gateway ends at once", async () => {
  const gateway = await startGatewayProcess();
  const startedAt = Date.now();

  expect(await gateway.stop()).toBe(0);
  // A connection that is kept alive would hold it up for a minute, and a request for five.
  expect(Date.now() - startedAt).toBeLessThan(20_000);
});
