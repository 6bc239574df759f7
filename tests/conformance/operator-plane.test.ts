import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { until } from "../support/until.ts";

const ADMIN_TOKEN = "an-admin-token-for-the-plane";
const PROVIDER_KEY = "sk-provider-key-for-the-plane-0123456789";
const CONNECTIONS = 2;
const QUEUE = 3;
const STATEMENT_TIMEOUT_MS = 4_000;
const missing = whyUnavailable("15");

describe.skipIf(missing)(`operators beside generations${missing === null ? "" : `: skipped, ${missing}`}`, () => {
  let database: FreshDatabase;
  let simulator: SimulatorProcess;
  let gateway: ServeProcess;
  /** Holds a lock. Another one looks, since within a transaction the list of sessions stays as it was first read. */
  let locking: Client;
  let superuser: Client;
  let folder: string;
  let secret: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-plane-"));
    [database, simulator] = await Promise.all([freshDatabase(), startSimulatorProcess()]);
    rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY]);
    const environment = {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: database.url,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
      PROVIDER_KEY,
      // As many as operators have: if they shared them, no generation would get one.
      TOLLGATE_DATABASE_POOL_SIZE: String(CONNECTIONS),
      TOLLGATE_OPERATOR_CONNECTIONS: String(CONNECTIONS),
      TOLLGATE_OPERATOR_QUEUE: String(QUEUE),
      TOLLGATE_OPERATOR_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
      // A busy machine is not what is tested here.
      TOLLGATE_DATABASE_CONNECT_TIMEOUT_MS: "30000",
      TOLLGATE_DATABASE_STATEMENT_TIMEOUT_MS: "30000",
      TOLLGATE_LEDGER_TIMEOUT_MS: "30000",
    };
    writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogueAt(simulator.url)));
    const applied = await runTollgate(["catalogue", "apply", "catalogue.json"], { cwd: folder, env: environment });
    if (applied.code !== 0) throw new Error(applied.stderr);
    gateway = await startServeProcess({ folder, environment });
    const made = await ask("POST", "/keys", { mode: "credit", credit: "1000" });
    ({ secret } = (await made.json()) as { secret: string });
    rememberSecrets([secret]);
    [locking, superuser] = [database.url, database.url].map((connectionString) => new Client({ connectionString })) as [
      Client,
      Client,
    ];
    await Promise.all([locking.connect(), superuser.connect()]);
  });
  afterAll(async () => {
    await Promise.all([locking?.end(), superuser?.end()]);
    await gateway?.stop();
    await simulator?.stop();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${gateway.adminUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });

  const generate = async (): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "acme-fast", messages: [{ role: "user", content: "Hello" }] }),
    });
    await response.text();
    return response.status;
  };

  const sessions = async (which: string): Promise<number> => {
    const sql = `select count(*)::int as count from pg_stat_activity where datname = current_database() and ${which}`;
    return (await superuser.query<{ count: number }>(sql)).rows[0]?.count ?? 0;
  };
  const hangingReports = "application_name = 'tollgate-operator' and wait_event_type = 'Lock'";

  test("reports that hang keep no generation waiting; more of them are refused, and each ends at its limit", async () => {
    // Read by operators, and else only when the catalogue is loaded anew.
    await locking.query("begin; lock table provider in access exclusive mode");
    const order: string[] = [];
    const report = async (): Promise<{ status: number; retryAfter: string | null; message: string }> => {
      const response = await ask("GET", "/providers");
      const { error } = (await response.json()) as { error?: { message: string } };
      order.push("report");
      return {
        status: response.status,
        retryAfter: response.headers.get("retry-after"),
        message: error?.message ?? "",
      };
    };
    const hanging = Array.from({ length: CONNECTIONS }, report);
    await until(async () => (await sessions(hangingReports)) === CONNECTIONS, "the reports hang");

    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const status = await generate();
        order.push("generation");
        return status;
      }),
    );

    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(order[0]).toBe("generation");

    const crowding = Array.from({ length: QUEUE + 10 }, report);
    const ended = await Promise.all(hanging);
    for (const one of ended)
      expect(one).toEqual({
        status: 503,
        retryAfter: "10",
        message: expect.stringMatching(/within 4,000 ms .*operator\.statement_timeout_ms/),
      });

    await locking.query("rollback");
    const crowd = await Promise.all(crowding);
    const refused = crowd.filter(({ message }) => message.includes("operator.connections"));
    // The records of the generations are written through the same pool, so that one of them may have a place in the queue.
    expect(refused.length).toBeGreaterThanOrEqual(10);
    expect(refused.length).toBeLessThan(crowd.length);
    expect(refused[0]).toMatchObject({ status: 503, retryAfter: "2" });
    expect(refused[0]?.message).toContain(`All ${CONNECTIONS} database connections for operators are in use`);
    expect((await report()).status).toBe(200);
  });

  test("each pool opens as many connections as it is allowed", async () => {
    await Promise.all(Array.from({ length: QUEUE }, () => ask("GET", "/keys?limit=1")));

    expect(await sessions("application_name = 'tollgate-operator'")).toBe(CONNECTIONS);
  });
});

const catalogueAt = (simulatorUrl: string) => ({
  providers: [{ name: "acme", base_url: `${simulatorUrl}/v1`, credential: "env:PROVIDER_KEY" }],
  models: [
    {
      id: "acme-fast",
      provider: "acme",
      max_output_tokens: 4096,
      price: { input: "0.15", output: "0.60" },
      routes: [{ provider: "acme", upstream_model: "sim-fast", format: "chat" }],
    },
  ],
});
