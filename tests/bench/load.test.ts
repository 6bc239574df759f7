import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { writeAnswers } from "./answers.ts";
import { compileRig, startCompiledGenerator } from "./compiled-generator.ts";
import type { LoadGenerator } from "./generator.ts";
import { type LoadJob, type LoadResult, requestBytes, tagOffsetIn } from "./load-job.ts";
import { createProcesses } from "./processes.ts";
import { startTypeScriptGenerator } from "./typescript-generator.ts";

const REQUEST = { dialect: "chat", credential: "secret", headers: {}, model: "m", streamed: false } as const;

const servers: Server[] = [];
const processes = createProcesses("anywhere");
const folder = mkdtempSync(join(tmpdir(), "bench-load-"));
const rig = await compileRig();

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

afterAll(async () => {
  await processes.stopAll();
  rmSync(folder, { recursive: true });
});

const answerAtOnce: RequestListener = (request, response) => {
  request.resume().on("end", () => response.setHeader("content-length", 2).end("ok"));
};

async function portOf(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function jobFor(port: number, changes: Partial<LoadJob>): LoadJob {
  const bytes = requestBytes({ ...REQUEST, origin: `http://127.0.0.1:${port}` });
  const request = { request: bytes.toString("base64"), tagOffset: tagOffsetIn(bytes) };
  const expected = { eventsPerStream: null, leastBytes: 0 };
  return {
    mode: "closed",
    port,
    connections: 4,
    ratePerSecond: 0,
    durationMs: 400,
    atOnce: 0,
    mostRequests: 0,
    ...request,
    ...expected,
    ...changes,
  };
}

test("the body of a request is 1 KiB, whatever the model is called, and its tag can be found", () => {
  for (const model of ["m", "sim-bench+tokens=98+flush=each"]) {
    const bytes = requestBytes({ ...REQUEST, origin: "http://h:1", model, streamed: true });
    const [, body = ""] = bytes.toString().split("\r\n\r\n");
    expect(Buffer.byteLength(body)).toBe(1024);
    expect(JSON.parse(body)).toMatchObject({ model, stream: true });
    expect(bytes.toString("latin1", tagOffsetIn(bytes), tagOffsetIn(bytes) + 7)).toBe("000000.");
  }
});

const generators = {
  compiled: async (): Promise<LoadGenerator> => {
    if (rig.missing !== null) throw new Error(rig.missing);
    const answersFile = join(folder, "answers");
    writeAnswers(answersFile, []);
    return startCompiledGenerator({ processes, folder: rig.folder, answersFile });
  },
  TypeScript: () => startTypeScriptGenerator(processes),
};

describe.each(Object.keys(generators) as (keyof typeof generators)[])("the %s generator", (kind) => {
  // A machine without a compiler has one generator less to test; the bench says so when it runs there.
  const possible = kind === "TypeScript" || rig.missing === null;
  let generator: LoadGenerator | undefined;

  beforeAll(async () => {
    if (possible) generator = await generators[kind]();
  });

  async function loadAgainst(listener: RequestListener, changes: Partial<LoadJob>): Promise<LoadResult> {
    if (generator === undefined) throw new Error("no generator");
    const job = await generator.prepare(jobFor(await portOf(listener), changes));
    try {
      return await job.go();
    } finally {
      await job.close();
    }
  }

  test.runIf(possible)(
    "has never more requests under way than connections, and waits for the last answers",
    async () => {
      let underWay = 0;
      let most = 0;
      let received = 0;
      const result = await loadAgainst(
        (request, response) => {
          received += 1;
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
      expect(result.requests).toBe(received);
      expect(result.inTime).toBeLessThanOrEqual(result.requests);
      expect(result.failures).toBe(0);
    },
  );

  test.runIf(possible)("sends exactly as many requests as asked, and is done with the last answer", async () => {
    let received = 0;
    const result = await loadAgainst(
      (request, response) => {
        received += 1;
        answerAtOnce(request, response);
      },
      { connections: 4, mostRequests: 250, durationMs: 60_000 },
    );

    expect([received, result.requests, result.failures]).toEqual([250, 250, 0]);
    expect(result.elapsedMs).toBeLessThan(30_000);
  });

  test.runIf(possible)("sends exactly what the schedule of an open loop says", async () => {
    let received = 0;
    const result = await loadAgainst(
      (request, response) => {
        received += 1;
        answerAtOnce(request, response);
      },
      { mode: "open", ratePerSecond: 500, durationMs: 1000 },
    );

    expect(received).toBe(500);
    expect(result.requests).toBe(500);
  });

  test.runIf(possible)(
    "counts requests as slow that had to wait behind a stall, though they were sent late",
    async () => {
      let received = 0;
      const { promise: stalled, resolve: release } = Promise.withResolvers<void>();
      const result = await loadAgainst(
        (request, response) => {
          received += 1;
          if (received === 100) setTimeout(release, 500);
          if (received < 100) answerAtOnce(request, response);
          else void stalled.then(() => answerAtOnce(request, response));
        },
        { mode: "open", ratePerSecond: 200, connections: 1, durationMs: 1000 },
      );

      // Measured from its sending, only the request that met the stall was slow: one of two hundred, which p99 would not show.
      expect(result.requests).toBe(200);
      expect(result.latencyMicros.p99).toBeGreaterThan(300_000);
      expect(result.latenessMicros.p99).toBeGreaterThan(300_000);
    },
  );

  test.runIf(possible)("counts a refusal, a short answer and a stream with an event too few as failures", async () => {
    const refused = await loadAgainst((_request, response) => response.writeHead(429).end("slow down"), {});
    const short = await loadAgainst(answerAtOnce, { leastBytes: 3 });
    const lost = await loadAgainst((_request, response) => response.writeHead(200).end("data: 1\n\ndata: [DONE]\n\n"), {
      eventsPerStream: 3,
    });

    expect(refused).toMatchObject({ failures: refused.requests, firstFailure: "status 429: slow down" });
    expect(short).toMatchObject({ failures: short.requests, firstFailure: "2 bytes instead of at least 3" });
    expect(lost).toMatchObject({ failures: lost.requests, firstFailure: "2 events instead of 3" });
    expect(lost.events).toBeGreaterThan(10);
  });

  test.runIf(possible)("finds events wherever the network cuts them", async () => {
    const result = await loadAgainst(
      (request, response) => {
        request.resume().on("end", () => {
          response.writeHead(200);
          const text = "data: 1\n\nevent: x\ndata: data: 2\n\nid: data:\n\ndata: [DONE]\n\n";
          for (const part of text.match(/[^]{1,3}/g) ?? []) response.write(part);
          response.end();
        });
      },
      { connections: 1, durationMs: 200, eventsPerStream: 3 },
    );

    expect(result.requests).toBeGreaterThan(0);
    expect(result.failures).toBe(0);
  });

  test.runIf(possible)(
    "opens as many streams at once as asked, keeps them, and counts those that are refused",
    async () => {
      let asked = 0;
      const result = await loadAgainst(
        (_request, response) => {
          asked += 1;
          if (asked <= 3) response.writeHead(503).end("full");
          else response.writeHead(200).write("data: 1\n\n");
        },
        { mode: "hold", connections: 20, atOnce: 20 },
      );

      expect(result).toMatchObject({ opened: 17, refused: 3, firstFailure: "status 503: full" });
    },
  );

  test.runIf(possible)("tells which of the streams it holds are gone, and what the others have got since", async () => {
    if (generator === undefined) throw new Error("no generator");
    const open: ServerResponse[] = [];
    const port = await portOf((_request, response) => {
      open.push(response);
      response.writeHead(200).write("data: 1\n\n");
    });
    const job = await generator.prepare(jobFor(port, { mode: "hold", connections: 5, atOnce: 5 }));
    const result = await job.go();
    open.shift()?.end();
    for (const response of open) response.write("data: 2\n\n");

    await expect.poll(async () => (await job.look()).lost).toBe(1);
    await expect.poll(async () => (await job.look()).events).toBe(9);
    expect((await job.look()).firstLoss).toBe("a stream ended that was to stay open");
    expect(result).toMatchObject({ opened: 5, refused: 0 });
    await job.close();
  });

  test.runIf(possible)("opens so many streams per second as asked, and not all at once", async () => {
    const result = await loadAgainst((_request, response) => response.writeHead(200).write("data: 1\n\n"), {
      mode: "hold",
      connections: 20,
      atOnce: 20,
      ratePerSecond: 40,
    });

    expect(result.opened).toBe(20);
    expect(result.openedMs).toBeGreaterThan(450);
  });
});

test("the TypeScript generator ends with an error when a connection breaks", async () => {
  const generator = await startTypeScriptGenerator(processes);
  const job = await generator.prepare(jobFor(await portOf((request) => request.socket.destroy()), {}));

  await expect(job.go()).rejects.toThrow("ended before it answered");
});

test.runIf(rig.missing === null)("the compiled generator counts broken connections and goes on", async () => {
  const generator = await generators.compiled();
  let asked = 0;
  const port = await portOf((request, response) => {
    asked += 1;
    if (asked % 10 === 0) request.socket.destroy();
    else answerAtOnce(request, response);
  });
  const job = await generator.prepare(jobFor(port, { connections: 2 }));

  const result = await job.go();

  expect(result.requests).toBe(asked);
  expect(result.failures).toBe(Math.floor(asked / 10));
  expect(result.firstFailure).toBe("the connection was closed without an answer");
});
