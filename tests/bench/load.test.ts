import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { type LoadJob, type LoadResult, requestBytes } from "./load-job.ts";

const run = promisify(execFile);
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function loadAgainst(listener: RequestListener, changes: Partial<LoadJob>): Promise<LoadResult> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const job: LoadJob = {
    mode: "closed",
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dialect: "chat",
    credential: "secret",
    model: "m",
    streamed: "no",
    connections: 4,
    ratePerSecond: 0,
    warmupMs: 100,
    durationMs: 400,
    eventsPerStream: null,
    watch: { proxyPid: null, providerPid: process.pid, databasePid: null, cores: null },
    ...changes,
  };
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, "load.ts"), JSON.stringify(job)]);
  return JSON.parse(stdout) as LoadResult;
}

const answerAtOnce: RequestListener = (request, response) => {
  request.resume().on("end", () => response.setHeader("content-length", 2).end("ok"));
};

test("the body of a request is 1 KiB, whatever the model is called", () => {
  for (const model of ["m", "sim-bench+tokens=98+flush=each"]) {
    const [, body = ""] = requestBytes({
      origin: "http://h:1",
      dialect: "chat",
      credential: "c",
      model,
      streamed: "yes",
    })
      .toString()
      .split("\r\n\r\n");
    expect(Buffer.byteLength(body)).toBe(1024);
    expect(JSON.parse(body)).toMatchObject({ model, stream: true });
  }
});

test("a closed loop never has more requests under way than connections, and counts what was answered", async () => {
  let underWay = 0;
  let most = 0;
  const result = await loadAgainst(
    (request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      response.on("finish", () => {
        underWay -= 1;
      });
      answerAtOnce(request, response);
    },
    { connections: 3 },
  );

  expect(most).toBeLessThanOrEqual(3);
  expect(result.requests).toBeGreaterThan(10);
  expect(result.failures).toBe(0);
});

test("an open loop sends exactly what its schedule says", async () => {
  let received = 0;
  const result = await loadAgainst(
    (request, response) => {
      received += 1;
      answerAtOnce(request, response);
    },
    { mode: "open", ratePerSecond: 500, warmupMs: 200, durationMs: 1000 },
  );

  expect(received).toBe(600);
  expect(result.requests).toBe(500);
});

test("requests that had to wait behind a stall count as slow, though they were sent late", async () => {
  let received = 0;
  const { promise: stalled, resolve: release } = Promise.withResolvers<void>();
  const result = await loadAgainst(
    (request, response) => {
      received += 1;
      if (received === 100) setTimeout(release, 500);
      if (received < 100) answerAtOnce(request, response);
      else void stalled.then(() => answerAtOnce(request, response));
    },
    { mode: "open", ratePerSecond: 200, connections: 1, warmupMs: 0, durationMs: 1000 },
  );

  // Measured from its sending, only the request that met the stall was slow: one of two hundred, which p99 would not show.
  expect(result.requests).toBe(200);
  expect(result.latencyMicros.p99).toBeGreaterThan(300_000);
  expect(result.latenessMicros.p99).toBeGreaterThan(300_000);
});

test("a refusal and a stream with an event too few are failures", async () => {
  const refused = await loadAgainst((_request, response) => response.writeHead(429).end("slow down"), {});
  const short = await loadAgainst((_request, response) => response.writeHead(200).end("data: 1\n\ndata: [DONE]\n\n"), {
    streamed: "yes",
    eventsPerStream: 3,
  });

  expect(refused.failures).toBe(refused.requests);
  expect(refused.firstFailure).toBe("status 429: slow down");
  expect(short.failures).toBe(short.requests);
  expect(short.firstFailure).toBe("2 events instead of 3");
  expect(short.events).toBeGreaterThan(10);
});

test("a connection that breaks ends the load with an error", async () => {
  await expect(loadAgainst((request) => request.socket.destroy(), {})).rejects.toThrow("closed from the other side");
});
