import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../support/postgres.ts";
import { addressesOf, openProcessStage, type ProcessStage, type Served } from "../support/process-stage.ts";
import { openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

const START_TIMEOUT_MS = 90_000;
const FILES = 256;

describe.skipIf(whyUnavailable("15") ?? process.platform !== "linux")("a process at its limit of open files", () => {
  let stage: ProcessStage;
  let served: Served;
  let url: string;
  let adminUrl: string;
  let agents: Agent[] = [];
  let sockets: Socket[] = [];
  beforeAll(async () => {
    stage = await openProcessStage();
    // One connection to the database is there already when there are no files left.
    served = stage.serve({ openFiles: FILES, settings: { TOLLGATE_DATABASE_POOL_SIZE: "1" } });
    await until(() => addressesOf(served).adminUrls.length === 1 || served.hasEnded(), "it listens", START_TIMEOUT_MS);
    expect(served.hasEnded(), served.output()).toBe(false);
    const { publicUrl, adminUrls } = addressesOf(served);
    [url, adminUrl] = [publicUrl, adminUrls[0] ?? ""];
  });
  afterEach(() => {
    for (const agent of agents) agent.destroy();
    for (const socket of sockets) socket.destroy();
    [agents, sockets] = [[], []];
  });
  afterAll(() => stage?.close());

  async function metric(name: string): Promise<number> {
    const headers = { authorization: `Bearer ${stage.adminToken}`, connection: "close" };
    const text = await (await fetch(`${adminUrl}/metrics`, { headers })).text();
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "m").exec(text)?.[1]);
  }

  /** The status of a request on a connection that may be there already. */
  async function ask(agent: Agent, path = "/v1/chat/completions"): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${stage.key}`, "content-type": "application/json" };
    const method = path === "/livez" ? "GET" : "POST";
    const call = request(`${url}${path}`, { agent, method, headers });
    call.end(method === "GET" ? "" : JSON.stringify({ model: "fast", messages: [{ role: "user", content: "Hello" }] }));
    const [response] = await once(call, "response");
    response.resume();
    await once(response, "end");
    return response.statusCode;
  }

  async function openAgents(count: number): Promise<Agent[]> {
    agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    expect(await Promise.all(agents.map((agent) => ask(agent, "/livez")))).toEqual(Array(count).fill(200));
    return agents;
  }

  const health = async (): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${adminUrl}/healthz`, { headers: { connection: "close" } });
    return { status: answer.status, text: await answer.text() };
  };

  test("refuses new connections, counted and told once, serves those it has, and recovers", async () => {
    const kept = await openAgents(10);
    const stream = await openChatStream({ url, key: stage.key, model: "paced" });
    const whole = readAll(stream.response);
    let closed = 0;
    const { port } = new URL(url);
    for (let no = 0; no < FILES; no++) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined);
      socket.on("close", () => (closed += 1));
      sockets.push(socket);
      await once(socket, "connect");
    }

    await until(() => closed > FILES / 2, "those beyond the limit are closed");
    expect(await health()).toEqual({ status: 503, text: expect.stringContaining("too few files are left") });
    expect(await Promise.all(kept.map((agent) => ask(agent)))).toEqual(Array(10).fill(200));
    expect(await metric("tollgate_refused_connections_total")).toBeGreaterThanOrEqual(closed);
    await until(() => served.lines("open files exhausted").length > 0, "it is told");
    expect(served.lines("open files exhausted")).toMatchObject([
      { level: "error", limit: FILES, listener: "public", fix: expect.stringContaining("LimitNOFILE") },
    ]);
    expect(await whole).toMatchObject({ broken: false, text: expect.stringMatching(/data: \[DONE\]\n\n$/) });

    for (const socket of sockets) socket.destroy();
    await until(async () => (await stage.ask(url)) === 200, "new connections are served");
    await until(async () => (await health()).status === 200, "it is no longer told");
  });

  test("blames no provider when it can open no file at all, counts that, and recovers", async () => {
    const kept = await openAgents(30);
    const limitFiles = (files: number) =>
      execFileSync("prlimit", ["--pid", `${served.pid}`, `--nofile=${files}:${FILES}`]);
    expect(await stage.ask(url)).toBe(200);
    limitFiles(8);

    const answers = await Promise.all(kept.map((agent) => ask(agent)));
    // The log is open already.
    await until(() => served.lines("open files exhausted").some(({ listener }) => listener === null), "it is told");
    limitFiles(FILES);

    expect(answers).toContain(502);
    expect(answers.filter((status) => status !== 200 && status !== 502)).toEqual([]);
    expect(await metric("tollgate_open_files_exhausted_total")).toBeGreaterThan(0);
    expect(await Promise.all(kept.map((agent) => ask(agent)))).toEqual(Array(30).fill(200));
    expect(served.lines("circuit breaker opened")).toEqual([]);
    expect(served.lines("bug")).toEqual([]);
  });
});
