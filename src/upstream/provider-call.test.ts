import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { callProvider } from "./provider-call.ts";
import { createPools } from "./pools.ts";
import { readBeginning } from "./refusal/read-beginning.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A provider that answers when the test says so, over one connection at a time. */
async function provider() {
  const waiting: ServerResponse[] = [];
  let connections = 0;
  const server = createServer((_request, response) => {
    waiting.push(response);
    server.emit("asked");
  });
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => (server.closeAllConnections(), server.close()));
  const pools = createPools({ connectionsPerOrigin: 1 });
  closing.push(pools.close);
  let leave: (() => void) | null = null;
  const ask = (firstByteTimeoutMs = 30_000) =>
    callProvider(pools, {
      origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      path: "/",
      headers: {},
      body: Buffer.from("{}"),
      connectTimeoutMs: 30_000,
      firstByteTimeoutMs,
      idleTimeoutMs: 30_000,
      sink: { onGone: (callback) => (leave = callback) },
    }).then(({ body }) => readBeginning(body, { maxBytes: 1_000, timeoutMs: 30_000 }));
  return { ask, leave: () => leave?.(), asked: () => once(server, "asked"), waiting, connections: () => connections };
}

test("a call that is given up while it waits for a connection leaves that connection to the next", async () => {
  const { ask, leave, asked, waiting, connections } = await provider();
  const first = asked();
  const held = ask();
  await first;
  const left = expect(ask()).rejects.toMatchObject({ reason: "broken" });
  leave();
  await left;
  await expect(ask(50)).rejects.toMatchObject({ reason: "crowded" });
  const last = asked();
  const next = ask();
  waiting[0]?.end("first");
  expect((await held).toString()).toBe("first");
  await last;
  waiting[1]?.end("next");

  expect((await next).toString()).toBe("next");
  expect(waiting).toHaveLength(2);
  expect(connections()).toBe(1);
});

test("a call for which no connection became free says so, and one that had a connection does not", async () => {
  const { ask, asked } = await provider();
  const first = asked();
  const held = ask(500);
  await first;

  await expect(ask(50)).rejects.toMatchObject({ reason: "crowded" });
  await expect(held).rejects.toMatchObject({ reason: "timed_out" });
});

test("an answer of success that ends without a byte is none, so that another route can be asked", async () => {
  const { ask, asked, waiting } = await provider();
  for (const headers of [{ "content-length": "0" }, { "transfer-encoding": "chunked" }]) {
    const received = asked();
    const answer = expect(ask()).rejects.toMatchObject({ reason: "broken" });
    await received;
    waiting.pop()?.writeHead(200, headers).end();
    await answer;
  }
});

test("a refusal without a byte is still a refusal", async () => {
  const { ask, asked, waiting } = await provider();
  const received = asked();
  const answer = ask();
  await received;
  waiting.pop()?.writeHead(429).end();

  expect((await answer).length).toBe(0);
});
