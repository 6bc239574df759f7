import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { type Pgbouncer, startPgbouncer, whyNoPgbouncer } from "../support/pgbouncer.ts";
import { poolerConfiguration } from "../support/pooler-page.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { until } from "../support/until.ts";
import { childEnvironment } from "../support/child-environment.ts";

const ADMIN_TOKEN = "an-admin-token-for-tests";
const missing = whyUnavailable("15") ?? whyNoPgbouncer();
/** What the page promises. */
const UNHEARD_MS = 5_000;
/** Longer than the test: whatever is learned within it was heard, or was looked for because nothing can be. */
const UNASKED_MS = "3600000";

type Made = { key: { id: string }; secret: string };

describe.skipIf(missing !== null)(
  `behind PgBouncer in transaction mode${missing === null ? "" : `: skipped, ${missing}`}`,
  () => {
    let cluster: Cluster;
    let pooler: Pgbouncer;
    let simulator: SimulatorProcess;
    let folder: string;
    let direct: string;
    let pooled: string;
    let gateway: ServeProcess | null = null;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "tollgate-pooler-"));
      [cluster, simulator] = await Promise.all([
        startCluster({ version: "15", durable: false }),
        startSimulatorProcess(),
      ]);
      await administer("create role tollgate login password 'for-tests'", "create database tollgate owner tollgate");
      direct = cluster.url("tollgate").replace("postgres@", "tollgate:for-tests@");
      await startPooler();
      rememberSecrets([ADMIN_TOKEN, "for-tests"]);
      const model = (id: string) => ({
        id,
        provider: "acme",
        max_output_tokens: 4096,
        price: { input: "0.15", output: "0.60" },
        routes: [{ provider: "acme", upstream_model: "sim-fast", format: "chat" }],
      });
      const catalogue = {
        providers: [{ name: "acme", base_url: `${simulator.url}/v1`, credential: "env:PROVIDER_KEY" }],
        models: [model("stays"), model("goes")],
      };
      writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
      await tollgate("migrate");
      await tollgate("catalogue", "apply", "catalogue.json");
    });
    afterEach(async () => {
      await gateway?.stop();
      gateway = null;
    });
    afterAll(async () => {
      await pooler?.close();
      await simulator?.stop();
      await cluster?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function startPooler(): Promise<void> {
      pooler = await startPgbouncer({
        configuration: (place) => poolerConfiguration({ ...place, serverPort: cluster.port, database: "tollgate" }),
        users: { tollgate: "for-tests" },
      });
      pooled = direct.replace(`:${cluster.port}/`, `:${pooler.port}/`);
    }

    async function administer(...statements: string[]): Promise<void> {
      const client = new Client({ connectionString: cluster.superuserUrl });
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    }

    const environment = (more: Record<string, string> = {}): Record<string, string> => ({
      ...childEnvironment(),
      DATABASE_URL: pooled,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: "0",
      PROVIDER_KEY: "sk-provider-key-for-tests",
      PORT: "0",
      TOLLGATE_KEYS_CACHE_MS: UNASKED_MS,
      TOLLGATE_CATALOGUE_POLL_MS: UNASKED_MS,
      ...more,
    });

    /** Commands go through the pooler as the gateway does. */
    async function tollgate(...words: string[]): Promise<string> {
      const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env: environment() });
      if (code !== 0) throw new Error(stderr);
      return stdout;
    }

    async function serve(more: Record<string, string> = {}): Promise<ServeProcess> {
      gateway = await startServeProcess({ folder, environment: environment(more) });
      return gateway;
    }

    async function makeKey(): Promise<Made> {
      const made = JSON.parse(await tollgate("keys", "create", "--credit", "10", "--json")) as Made;
      rememberSecrets([made.secret]);
      return made;
    }

    async function ask({ url }: ServeProcess, secret: string, model = "stays"): Promise<number> {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }),
      });
      await response.arrayBuffer();
      return response.status;
    }

    async function changes(answer: () => Promise<number>, to: number): Promise<void> {
      await until(async () => (await answer()) === to, `requests are answered with ${to}`);
    }

    const admin = ({ adminUrl }: ServeProcess, path: string) =>
      fetch(`${adminUrl}${path}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });

    const lines = ({ output }: ServeProcess): Record<string, unknown>[] =>
      output()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Record<string, unknown>);

    test("without direct_url it says that changes are not heard and how to mend it, learns of them within five seconds, and refuses a suspended key at once", async () => {
      const { key, secret } = await makeKey();
      const process = await serve();
      expect(lines(process)).toContainEqual(
        expect.objectContaining({
          msg: "notifications of changes do not arrive",
          stale_ms: UNHEARD_MS,
          fix: expect.stringContaining("database.direct_url") as string,
        }),
      );
      expect(await (await fetch(`${process.url}/readyz`)).json()).toEqual({ status: "degraded" });
      const answer = await admin(process, "/healthz");
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({
        status: "degraded",
        reasons: [expect.stringContaining("not announced")],
      });
      expect(await (await admin(process, "/metrics")).text()).toContain("tollgate_changes_heard 0\n");
      expect(await ask(process, secret)).toBe(200);
      expect(await ask(process, secret, "goes")).toBe(200);

      await tollgate("keys", "suspend", key.id);
      expect(await ask(process, secret)).toBe(401);
      await tollgate("keys", "resume", key.id);
      await changes(() => ask(process, secret), 200);
      await tollgate("models", "unpublish", "goes");
      await changes(() => ask(process, secret, "goes"), 404);
    });

    test("what to tell the database is said when it starts, and is no longer said once it was told", async () => {
      const before = await serve({ TOLLGATE_DATABASE_DIRECT_URL: direct });
      const said = new Map(lines(before).map(({ finding, fix }) => [finding, String(fix)]));
      await before.stop();
      expect([...said.keys()]).toEqual(
        expect.arrayContaining(["fsync_off", "full_page_writes_off", "no_standby", "pooled_without_limits"]),
      );

      const statements = said.get("pooled_without_limits")?.match(/alter role .*?;/g) ?? [];
      expect(statements).toHaveLength(2);
      await administer(
        ...statements,
        "alter system set fsync = on",
        "alter system set full_page_writes = on",
        "select pg_reload_conf()",
      );
      await pooler.close();
      await startPooler();
      const after = await serve({ TOLLGATE_DATABASE_DIRECT_URL: direct });
      const findings = lines(after).flatMap(({ finding }) => finding ?? []);
      expect(findings).toEqual(["no_standby"]);
    });

    test("with direct_url changes are heard as they are made, and nothing is said", async () => {
      const { key, secret } = await makeKey();
      const process = await serve({ TOLLGATE_DATABASE_DIRECT_URL: direct });
      expect(await (await fetch(`${process.url}/readyz`)).json()).toEqual({ status: "ok" });
      expect(await (await admin(process, "/metrics")).text()).toContain("tollgate_changes_heard 1\n");
      expect(await ask(process, secret)).toBe(200);

      await tollgate("keys", "suspend", key.id);
      await changes(() => ask(process, secret), 401);
      await tollgate("keys", "resume", key.id);
      await changes(() => ask(process, secret), 200);
      expect(process.output()).not.toContain("not heard");
    });
  },
);
