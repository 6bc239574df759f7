import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { eventsOf, openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

const STREAMS = 200;

/** A connection on which one request was made, and which waits for the next. */
async function keepOpen(url: string): Promise<{ closed: Promise<unknown> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const closed = once(socket, "end");
  socket.write(`GET /livez HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [^]*connection: keep-alive/i);
  return { closed };
}

test(`SIGTERM with ${STREAMS} open streams: what comes before the listener closes is served, and all end whole`, async () => {
  const gateway = await startGatewayProcess({
    models: { paced: { upstream: "sim+tokens=40+rate=10" }, quick: { upstream: "sim+tokens=3" } },
    // As long as the streams take, so that a busy machine has time to be asked once more.
    settings: { TOLLGATE_DRAIN_DELAY_MS: "5000" },
  });
  const ask = { url: gateway.publicUrl, key: gateway.keys.credit, model: "paced" };
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => openChatStream(ask)));
  const ends = Promise.all(streams.map(({ response }) => readAll(response)));
  const idle = await keepOpen(gateway.publicUrl);

  const stopped = gateway.stop();
  await until(async () => (await fetch(`${gateway.publicUrl}/readyz`)).status === 503, "it reports not ready");
  const late = await openChatStream({ ...ask, model: "quick" });
  const { text, broken } = await readAll(late.response);

  expect({ status: late.status, connection: late.response.headers.connection, broken }).toEqual({
    status: 200,
    connection: "close",
    broken: false,
  });
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  const results = await ends;
  expect(results.filter((result) => result.broken || !result.text.endsWith("data: [DONE]\n\n"))).toEqual([]);
  expect(new Set(results.map((result) => eventsOf(result.text).length))).toEqual(new Set([43]));
  await idle.closed;
  expect(await stopped).toBe(0);
});

test("an idle gateway ends at once", async () => {
  const gateway = await startGatewayProcess();
  const startedAt = Date.now();

  expect(await gateway.stop()).toBe(0);
  // A connection that is kept alive would hold it up for a minute, and a request for five.
  expect(Date.now() - startedAt).toBeLessThan(50_000);
});
