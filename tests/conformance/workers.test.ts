import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePortsInRow } from "../support/free-port.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { MAIN, runTollgate } from "../support/run-tollgate.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";
import { childEnvironment } from "../support/child-environment.ts";

const ROOT = join(import.meta.dirname, "../..");
const ADMIN_TOKEN = "an-admin-token-for-workers";
const METRICS_TOKEN = "a-metrics-token-for-workers";
const START_TIMEOUT_MS = 90_000;
const missing = whyUnavailable("15");

const NO_STANDBY =
  "no standby is connected: unless the storage is replicated, losing the database's disk loses every charge since the last backup";

type Line = { msg?: string; listener?: string; slot?: number; worker_pid?: number; admin_port?: number; url?: string };
type Parent = {
  pid: number;
  url: string;
  lines: (message: string) => Line[];
  ended: Promise<number | null>;
  signal: (name: "SIGTERM" | "SIGKILL") => void;
};

describe.skipIf(missing)("tollgate serve --workers", () => {
  let database: { url: string; close: () => Promise<void> };
  let simulator: SimulatorProcess;
  let folder: string;
  let environment: Record<string, string>;
  let key: string;
  let parents: Parent[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-workers-"));
    [database, simulator] = await Promise.all([freshDatabase({ migrated: false }), startSimulatorProcess()]);
    environment = {
      ...childEnvironment(),
      DATABASE_URL: database.url,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_DATABASE_POOL_SIZE: "3",
      PORT: "0",
      ACME_KEY: "sk-provider-key-for-workers-0123456789",
    };
    const model = (id: string, upstream: string) => ({
      id,
      provider: "acme",
      max_output_tokens: 4096,
      price: { input: "0.15", output: "0.60" },
      routes: [{ provider: "acme", upstream_model: upstream, format: "chat", conformant: true }],
    });
    const catalogue = {
      providers: [{ name: "acme", base_url: `${simulator.url}/v1`, credential: "env:ACME_KEY" }],
      models: [model("fast", "sim-fast"), model("paced", "sim+tokens=40+rate=20")],
    };
    writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
    for (const words of [["migrate"], ["catalogue", "apply", "catalogue.json"]])
      expect(await runTollgate(words, { cwd: folder, env: environment })).toMatchObject({ code: 0 });
    const made = await runTollgate(["keys", "create", "--credit", "1000", "--json"], { cwd: folder, env: environment });
    ({ secret: key } = JSON.parse(made.stdout) as { secret: string });
    rememberSecrets([ADMIN_TOKEN, METRICS_TOKEN, key]);
  });
  afterEach(async () => {
    for (const parent of parents) parent.signal("SIGTERM");
    await Promise.all(parents.map(({ ended }) => ended));
    parents = [];
  });
  afterAll(async () => {
    await simulator.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function serve(workers: number, settings: Record<string, string> = {}): Promise<Parent> {
    const env = { ...environment, TOLLGATE_ADMIN_PORT: `${await freePortsInRow(workers)}`, ...settings };
    const child = spawn(process.execPath, [MAIN, "serve", "--migrate", "--workers", `${workers}`], {
      cwd: folder,
      env,
    });
    let output = "";
    child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
    const ended = (once(child, "exit") as Promise<[number | null]>).then(([code]) => code);
    const lines = (message: string): Line[] =>
      output.split("\n").flatMap((line) => (line.includes(`"msg":"${message}"`) ? [JSON.parse(line) as Line] : []));
    const started = (): boolean => lines("worker listening").length === workers && lines("listening").length > 1;
    await until(() => started() || child.exitCode !== null, "all workers listen", START_TIMEOUT_MS);
    expect(child.exitCode, output).toBeNull();
    const url = lines("listening").find(({ listener }) => listener === "public")?.url ?? "";
    const parent = { pid: child.pid ?? 0, url, lines, ended, signal: (name: NodeJS.Signals) => void child.kill(name) };
    parents.push(parent);
    return parent;
  }

  const pidsOf = (parent: Parent): number[] => parent.lines("worker listening").map((line) => line.worker_pid ?? 0);
  const alive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  /** One request on a connection of its own: its status, or how it failed. */
  function ask(url: string): Promise<number | string> {
    const body = JSON.stringify({ model: "fast", messages: [{ role: "user", content: "Hello" }] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return new Promise((resolve) => {
      const call = request(`${url}/v1/chat/completions`, { method: "POST", headers, agent: false, timeout: 60_000 });
      call.on("timeout", () => (resolve("no answer"), call.destroy()));
      call.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      call.on("response", (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
        response.on("error", () => resolve("broken off"));
      });
      call.end(body);
    });
  }

  test("a worker killed under load takes its own requests with it and no others, and is replaced", async () => {
    const parent = await serve(4);
    const adminPorts = parent.lines("worker started").map((line) => line.admin_port ?? 0);
    const ready = await Promise.all(adminPorts.map((port) => fetch(`http://127.0.0.1:${port}/readyz`)));
    expect(new Set(adminPorts).size).toBe(4);
    expect(ready.map(({ status }) => status)).toEqual([200, 200, 200, 200]);

    const ends: (number | string)[] = [];
    let done = false;
    const callers = Array.from({ length: 12 }, async () => {
      while (!done) ends.push(await ask(parent.url));
    });
    await until(() => ends.length >= 40, "there is load");
    expect(new Set(ends)).toEqual(new Set([200]));
    const [victim = 0] = pidsOf(parent).slice(1);
    process.kill(victim, "SIGKILL");
    await until(() => parent.lines("worker listening").length === 5, "it is replaced", START_TIMEOUT_MS);
    const before = ends.length;
    await until(() => ends.length >= before + 40, "load goes on");
    done = true;
    await Promise.all(callers);

    const failures = ends.filter((end) => end !== 200);
    expect(failures.filter((end) => end !== "ECONNRESET" && end !== "broken off")).toEqual([]);
    expect(failures.length).toBeLessThanOrEqual(12);
    expect(parent.lines("worker ended")).toMatchObject([{ worker_pid: victim, signal: "SIGKILL" }]);
    parent.signal("SIGTERM");
    expect(await parent.ended).toBe(0);
    expect(pidsOf(parent).filter(alive)).toEqual([]);
  });

  test("a signal that reaches parent and workers alike lets every stream end whole", async () => {
    const parent = await serve(2);
    const streams = await Promise.all(
      Array.from({ length: 6 }, () => openChatStream({ url: parent.url, key, model: "paced" })),
    );
    const texts = Promise.all(streams.map(({ response }) => readAll(response)));

    for (const pid of [parent.pid, ...pidsOf(parent)]) process.kill(pid, "SIGTERM");

    for (const { text, broken } of await texts)
      expect({ broken, end: text.slice(-14) }).toEqual({ broken: false, end: "data: [DONE]\n\n" });
    expect(await parent.ended).toBe(0);
  });

  test("workers whose parent is killed finish what they are doing and go", async () => {
    const parent = await serve(2);
    const { response } = await openChatStream({ url: parent.url, key, model: "paced" });

    parent.signal("SIGKILL");

    expect(await readAll(response)).toMatchObject({
      broken: false,
      text: expect.stringMatching(/data: \[DONE\]\n\n$/),
    });
    await until(() => pidsOf(parent).every((pid) => !alive(pid)), "the workers are gone");
  });

  test("a worker that is asked to go is replaced, so that all can be renewed one by one", async () => {
    const parent = await serve(2);
    const [first = 0] = pidsOf(parent);

    process.kill(first, "SIGTERM");
    await until(() => pidsOf(parent).length === 3, "it is replaced", START_TIMEOUT_MS);

    expect(parent.lines("worker ended")).toMatchObject([{ worker_pid: first, code: 0 }]);
    expect(await ask(parent.url)).toBe(200);
    // What is said of the database is said once, and not again by a worker that comes later.
    expect(parent.lines(NO_STANDBY)).toMatchObject([{ finding: "no_standby" }]);
  });

  test("asked to end while a worker is starting, all end in order", async () => {
    // What a worker that was not told is waited for, and longer than a busy machine takes over one that was.
    const parent = await serve(2, { TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "1000", TOLLGATE_DRAIN_DEADLINE_MS: "60000" });
    const [first = 0] = pidsOf(parent);
    process.kill(first, "SIGTERM");
    await until(() => parent.lines("worker started").length === 3, "another is being started", START_TIMEOUT_MS);

    parent.signal("SIGTERM");

    // One that was not told is killed in the end, and the code is 1.
    expect(await parent.ended).toBe(0);
  });

  test("one address has the metrics of all workers, and they do not go back when workers end or hang", async () => {
    const parent = await serve(3, { TOLLGATE_ADMIN_METRICS_TOKEN: METRICS_TOKEN });
    const ports = parent.lines("worker started").map((line) => line.admin_port ?? 0);
    const read = async (port: number, path: string): Promise<string> => {
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      expect(response.status).toBe(200);
      return response.text();
    };
    const figure = (text: string, series: string): number =>
      Number(new RegExp(`^${series}(?:\\{route="chat_completions"\\})? (\\S+)$`, "m").exec(text)?.[1] ?? 0);
    const served = (text: string): number => figure(text, "tollgate_request_seconds_count");
    const total = (port = ports[0] ?? 0): Promise<string> => read(port, "/metrics/all");
    const asked = 24;
    expect(await Promise.all(Array.from({ length: asked }, () => ask(parent.url)))).toEqual(Array(asked).fill(200));

    // A request is counted when its last byte has left, so the client may be a moment ahead.
    await until(async () => served(await total()) === asked, "all are counted");
    const each = await Promise.all(ports.map((port) => read(port, "/metrics")));
    expect(each.map(served).reduce((sum, count) => sum + count)).toBe(asked);
    expect(served(await total(ports[2]))).toBe(asked);

    const [drained = 0, killed = 0, stopped = 0] = pidsOf(parent).slice(0, 3);
    process.kill(drained, "SIGTERM");
    await until(() => pidsOf(parent).length === 4, "the one that drained is replaced", START_TIMEOUT_MS);
    process.kill(killed, "SIGKILL");
    await until(() => pidsOf(parent).length === 5, "the one that was killed is replaced", START_TIMEOUT_MS);
    expect(served(await total())).toBe(asked);
    expect(figure(await total(), "tollgate_workers_answered")).toBe(3);

    process.kill(stopped, "SIGSTOP");
    const partial = await total();
    process.kill(stopped, "SIGCONT");
    expect(["tollgate_workers", "tollgate_workers_answered"].map((name) => figure(partial, name))).toEqual([3, 2]);
    expect(served(partial)).toBe(asked);
  });

  test("a worker that dies is replaced on the schema of a newer version that lets this one serve, and says what runs", async () => {
    const own = await freshDatabase();
    const parent = await serve(2, { DATABASE_URL: own.url, TOLLGATE_ADMIN_METRICS_TOKEN: METRICS_TOKEN });
    const client = new Client({ connectionString: own.url });
    await client.connect();
    await client.query(
      "insert into migration (number, name, sha256, serves_from) select max(number) + 1, 'later', 'other', max(number) from migration",
    );
    await client.end();

    process.kill(pidsOf(parent)[0] ?? 0, "SIGKILL");
    await until(() => pidsOf(parent).length === 3, "the one that was killed is replaced", START_TIMEOUT_MS);
    const { admin_port: port = 0 } = parent.lines("worker started").at(-1) ?? {};
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics/all`, { headers })).text();
    parent.signal("SIGTERM");
    await parent.ended;
    await own.close();

    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    const says = `tollgate_build_info\\{version="${version}",commit="[0-9a-f]*",migration="\\d{4}_\\w+",edition="\\d+"\\} 1`;
    expect(text).toMatch(new RegExp(`^${says}$`, "m"));
  });

  test("a start that cannot succeed is told once and ends with 1", async () => {
    const occupant = createServer().listen(0, "127.0.0.1");
    await once(occupant, "listening");
    const { port } = occupant.address() as AddressInfo;

    const ran = await runTollgate(["serve", "--workers", "3"], {
      cwd: folder,
      env: { ...environment, PORT: `${port}` },
    });
    occupant.close();

    expect(ran.code).toBe(1);
    expect(ran.stderr.match(/EADDRINUSE/g)).toHaveLength(1);
  });

  test("on an empty database the parent migrates; when no worker can be started any more it gives up with 1", async () => {
    const own = await freshDatabase({ migrated: false });
    const parent = await serve(2, { DATABASE_URL: own.url });
    await own.close();

    for (const pid of pidsOf(parent)) process.kill(pid, "SIGKILL");

    expect(await parent.ended).toBe(1);
    expect(parent.lines("gave up restarting workers")).toHaveLength(1);
  });
});
