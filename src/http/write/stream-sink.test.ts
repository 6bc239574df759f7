import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { ResponseSink, type SinkLimits } from "./stream-sink.ts";

const HEAD = { status: 200, headers: { "content-type": "text/event-stream" } };
/** More than the kernel holds for a connection on this machine, so that a write of it cannot end unread. */
const MORE_THAN_SOCKETS_HOLD = 24 * 1_048_576;

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A real connection: the caller's socket, which reads only when told to, and the sink at the other end. */
async function connection(limits: Partial<SinkLimits> = {}, version = "HTTP/1.1") {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller: Socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  closing.push(() => (caller.destroy(), server.closeAllConnections(), server.close()));
  caller.on("error", () => undefined);
  caller.pause();
  caller.write(`GET / ${version}\r\nhost: x\r\n\r\n`);
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  const sink = new ResponseSink(response, "req_1", { bufferBytes: 65_536, stallMs: 150, ...limits });
  return { caller, response, sink };
}

function received(caller: Socket): { text: () => string } {
  let text = "";
  caller.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
  caller.resume();
  return { text: () => text };
}

test("an answer carries its status, its headers and the request id under both names", async () => {
  const { caller, sink } = await connection();
  const { text } = received(caller);
  sink.begin(HEAD);
  sink.end(Buffer.from("data: é\n\n"));
  await once(caller, "data");
  while (!text().includes("\n\n")) await once(caller, "data");

  expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(text()).toMatch(/x-request-id: req_1\r\nrequest-id: req_1\r\ncontent-type: text\/event-stream\r\n/);
  expect(Buffer.from(text(), "latin1").toString()).toContain("data: é\n\n");
});

test("a stream is chunked, byte for byte, one chunk per write, and its connection can be used again", async () => {
  const { caller, sink } = await connection();
  const { text } = received(caller);
  sink.begin(HEAD);
  sink.write(Buffer.from("data: é\n\n"));
  sink.write(Buffer.alloc(0));
  sink.write(Buffer.from(`data: ${"x".repeat(20_000)}\n\n`));
  sink.end(Buffer.from("data: [DONE]\n\n"));
  while (!text().endsWith("0\r\n\r\n")) await once(caller, "data");
  const [head = "", ...body] = text().split("\r\n\r\n");
  const sent = Buffer.from(body.join("\r\n\r\n"), "latin1").toString();

  expect(head).toMatch(/\r\ntransfer-encoding: chunked\r\n/);
  expect(head.match(/transfer-encoding/gi)).toHaveLength(1);
  expect(head).toMatch(/\r\nConnection: keep-alive/);
  expect(sent).toBe(
    `a\r\ndata: é\n\n\r\n4e28\r\ndata: ${"x".repeat(20_000)}\n\n\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n`,
  );
});

test("a stream that ends without a last event ends its chunks", async () => {
  const { caller, sink } = await connection();
  const { text } = received(caller);
  sink.begin(HEAD);
  sink.end();
  while (!text().includes("0\r\n\r\n")) await once(caller, "data");

  expect(text()).toMatch(/\r\n\r\n0\r\n\r\n$/);
});

test("a caller of HTTP/1.0 gets a stream without chunks, to the end of its connection", async () => {
  const { caller, sink } = await connection({}, "HTTP/1.0");
  const { text } = received(caller);
  sink.begin(HEAD);
  sink.write(Buffer.from("data: 1\n\n"));
  sink.end(Buffer.from("data: [DONE]\n\n"));
  await once(caller, "close");

  expect(text()).not.toMatch(/transfer-encoding/i);
  expect(text()).toMatch(/\r\n\r\ndata: 1\n\ndata: \[DONE\]\n\n$/);
});

test("a write says stop only once the buffer is over its limit, and the drain says go on", async () => {
  const { caller, sink, response } = await connection({ stallMs: 60_000 });
  sink.begin(HEAD);
  const drained = new Promise<void>((resolve) => sink.onDrained(resolve));
  let writes = 0;
  while (sink.write(Buffer.alloc(32_768))) writes++;

  expect(writes).toBeGreaterThanOrEqual(1);
  expect(response.writableLength).toBeGreaterThanOrEqual(65_536);
  expect(response.writableLength).toBeLessThan(65_536 + 2 * 32_768);
  caller.resume();
  await drained;
  expect(sink.isGone()).toBe(false);
});

test("a caller that takes nothing is cut after the stall time [STR-32]", async () => {
  const { sink } = await connection();
  sink.begin(HEAD);
  const gone = new Promise<void>((resolve) => sink.onGone(resolve));
  sink.onDrained(() => undefined);
  expect(sink.write(Buffer.alloc(MORE_THAN_SOCKETS_HOLD))).toBe(false);
  const startedAtMs = performance.now();
  await gone;

  expect(sink.isGone()).toBe(true);
  expect(performance.now() - startedAtMs).toBeGreaterThan(140);
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
});

test("signs of life written meanwhile do not save a caller that takes nothing [STR-32]", async () => {
  const { sink } = await connection();
  sink.begin(HEAD);
  let gone = false;
  sink.onGone(() => (gone = true));
  sink.onDrained(() => undefined);
  expect(sink.write(Buffer.alloc(MORE_THAN_SOCKETS_HOLD))).toBe(false);
  const untilMs = performance.now() + 20_000;
  // The rhythm of the signs of life is the subject here, so the test keeps it.
  while (!gone && performance.now() < untilMs) {
    sink.write(Buffer.from(": keep-alive\n\n"));
    await sleep(40);
  }

  expect(gone).toBe(true);
});

test("a caller that takes nothing of a whole answer is cut too [STR-32]", async () => {
  const { sink } = await connection();
  sink.begin(HEAD);
  const gone = new Promise<void>((resolve) => sink.onGone(resolve));
  sink.end(Buffer.alloc(MORE_THAN_SOCKETS_HOLD));

  await gone;
});

test("a caller is not cut for an answer that waits behind another: it has not been offered yet", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  closing.push(() => (caller.destroy(), server.closeAllConnections(), server.close()));
  const answers: ServerResponse[] = [];
  const both = new Promise<void>((resolve) =>
    server.on("request", (_request, response: ServerResponse) => void (answers.push(response) === 2 && resolve())),
  );
  caller.write("GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n");
  await both;
  const sink = new ResponseSink(answers[1]!, "req_2", { bufferBytes: 65_536, stallMs: 20 });
  sink.begin(HEAD);
  sink.end(Buffer.from("second"));
  // Several times the stall time, with nothing that could be waited for.
  await sleep(100);
  expect(sink.isGone()).toBe(false);
  const { text } = received(caller);
  answers[0]?.end("first");
  while (!text().includes("second") && !caller.destroyed)
    await Promise.race([once(caller, "data"), once(caller, "close")]);

  expect(text()).toMatch(/first[^]*second/);
});

test("a caller that reads slowly, but reads, is not cut", async () => {
  const { caller, sink } = await connection({ stallMs: 2_000 });
  sink.begin({ status: 200, headers: { "content-length": String(MORE_THAN_SOCKETS_HOLD) } });
  sink.end(Buffer.alloc(MORE_THAN_SOCKETS_HOLD));
  let taken = 0;
  caller.on("readable", () => undefined);
  while (taken < MORE_THAN_SOCKETS_HOLD && !sink.isGone()) {
    const bytes = caller.read() as Buffer | null;
    taken += bytes?.length ?? 0;
    // Well within the stall time at each step, well beyond it in all.
    await sleep(10);
  }

  expect(sink.isGone()).toBe(false);
  expect(taken).toBeGreaterThan(MORE_THAN_SOCKETS_HOLD);
});

test("a caller that leaves is noticed once, and whoever waits for it to drain is let go", async () => {
  const { caller, sink } = await connection({ stallMs: 60_000 });
  sink.begin(HEAD);
  let goneCalls = 0;
  sink.onGone(() => goneCalls++);
  const drained = new Promise<void>((resolve) => sink.onDrained(resolve));
  caller.destroy();
  await drained;

  expect({ goneCalls, isGone: sink.isGone() }).toEqual({ goneCalls: 1, isGone: true });
  expect(sink.write(Buffer.from("x"))).toBe(true);
  let told = false;
  sink.onGone(() => (told = true));
  expect(told).toBe(true);
});

test("an answer that ended is not one whose caller left", async () => {
  const { caller, response, sink } = await connection();
  const closed = once(response, "close");
  sink.begin({ status: 200, headers: { connection: "close" } });
  sink.end();
  caller.resume();
  await closed;

  expect(sink.isGone()).toBe(false);
});
