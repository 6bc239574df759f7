import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, writeAnswers } from "./answers.ts";
import { compileRig, startCompiledGenerator } from "./compiled-generator.ts";
import { requestBytes, tagOffsetIn } from "./load-job.ts";
import { createProcesses } from "./processes.ts";

const rig = await compileRig();
const processes = createProcesses("anywhere");
const folder = mkdtempSync(join(tmpdir(), "bench-rig-"));

const plain = (text: string): Buffer[] => [
  Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
];
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const stream = (events: number): Buffer[] => [
  Buffer.from(`${HEAD}${chunk("data: 0\n\n")}`),
  ...Array.from({ length: events - 2 }, (_, index) => Buffer.from(chunk(`data: ${index + 1}\n\n`))),
  Buffer.from(`${chunk("data: [DONE]\n\n")}0\r\n\r\n`),
];
const ANSWERS: Answer[] = [
  { path: "/chat", fields: { stream: "true", include_usage: "true" }, everyMs: 0, frames: stream(21) },
  { path: "/chat", fields: { stream: "true" }, everyMs: 0, frames: stream(20) },
  { path: "/chat", fields: {}, everyMs: 0, frames: plain("chat") },
  { path: "/messages", fields: {}, everyMs: 0, frames: plain("messages") },
];

describe.runIf(rig.missing === null)("the compiled provider", () => {
  let url = "";
  let generator: Awaited<ReturnType<typeof startCompiledGenerator>>;

  beforeAll(async () => {
    const answersFile = join(folder, "answers");
    writeAnswers(answersFile, ANSWERS);
    generator = await startCompiledGenerator({ processes, folder: rig.folder ?? "", answersFile });
    url = generator.providerUrl;
  });

  afterAll(async () => {
    await processes.stopAll();
    rmSync(folder, { recursive: true });
  });

  const post = async (path: string, body: string | ReadableStream): Promise<string> => {
    const answer = await fetch(`${url}${path}`, { method: "POST", body, duplex: "half" });
    return `${answer.status} ${await answer.text()}`;
  };

  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };

  test("sends the first answer whose path and fields fit, however the body is spaced", async () => {
    expect(await post("/v1/messages", "{}")).toBe("200 messages");
    expect(await post("/v1/chat", '{"stream":false}')).toBe("200 chat");
    expect((await post("/v1/chat", '{"stream":true}')).match(/data:/g)).toHaveLength(20);
    const spaced = '{ "stream" : true,\n"stream_options": { "include_usage" :true } }';
    expect((await post("/v1/chat", spaced)).match(/data:/g)).toHaveLength(21);
  });

  test("does not take a word in a prompt for a field", async () => {
    expect(await post("/v1/chat", JSON.stringify({ content: '"stream":true' }))).toBe("200 chat");
  });

  test("answers what was not recorded with 404", async () => {
    expect(await post("/v1/other", "{}")).toMatch(/^404 \{"error"/);
  });

  test("reads a body to the length it announces, in pieces and with the next request behind it", async () => {
    const socket = await open();
    const request = 'POST /chat HTTP/1.1\r\nContent-Length: 16\r\n\r\n{"stream":false}';
    let received = "";
    socket.on("data", (bytes: Buffer) => (received += bytes.toString()));

    for (const piece of [request.slice(0, 30), request.slice(30, 50), request.slice(50) + request]) {
      socket.write(piece);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    while (received.split("HTTP/1.1 200").length < 3) await once(socket, "data");

    socket.destroy();
  });

  test("reads a body that comes in chunks", async () => {
    const body = new ReadableStream({
      start: (controller) => {
        for (const part of ['{"str', 'eam":', "true}"]) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });

    expect((await post("/v1/chat", body)).match(/data:/g)).toHaveLength(20);
  });

  test("refuses a request that is larger than it keeps", async () => {
    expect(await post("/v1/chat", "x".repeat(100_000))).toBe("413 ");
  });

  test("sends the next event of a stream when the last one has arrived, so that each read has one", async () => {
    const input = { origin: url, dialect: "chat", credential: "c", headers: {}, model: "m", streamed: true } as const;
    const bytes = requestBytes(input);
    const job = await generator.prepare({
      mode: "closed",
      port: Number(new URL(url).port),
      request: bytes.toString("base64"),
      tagOffset: tagOffsetIn(bytes),
      connections: 8,
      ratePerSecond: 0,
      durationMs: 300,
      eventsPerStream: 20,
      leastBytes: 0,
      atOnce: 0,
      mostRequests: 0,
    });

    const result = await job.go();

    await job.close();
    expect(result.failures).toBe(0);
    // The last three events come in one go, and a machine that stands still for 10 ms lets another one pass.
    expect(result.reads / result.requests).toBeGreaterThan(10);
  });
});
