import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";
import { startStandbyOf } from "../support/postgres-standby.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { until } from "../support/until.ts";
import { childEnvironment } from "../support/child-environment.ts";

const ADMIN_TOKEN = "an-admin-token-for-tests";
/** A gateway looks at its server every 15 seconds. */
const LOOK_MS = 40_000;
const missing = whyUnavailable("15");

describe.skipIf(missing !== null)(
  `a synchronous standby is required${missing === null ? "" : `: skipped, ${missing}`}`,
  () => {
    let primary: Cluster;
    let standby: Cluster | null = null;
    let simulator: SimulatorProcess;
    let gateway: ServeProcess;
    let folder: string;
    let environment: Record<string, string>;
    let secret: string;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "tollgate-standby-"));
      [primary, simulator] = await Promise.all([startCluster({ version: "15" }), startSimulatorProcess()]);
      await administer("create role tollgate login", "create database tollgate owner tollgate");
      environment = {
        ...childEnvironment(),
        DATABASE_URL: primary.url("tollgate").replace("postgres@", "tollgate@"),
        TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
        TOLLGATE_ADMIN_PORT: "0",
        PORT: "0",
        PROVIDER_KEY: "sk-provider-key-for-tests",
      };
      const catalogue = {
        providers: [{ name: "acme", base_url: `${simulator.url}/v1`, credential: "env:PROVIDER_KEY" }],
        models: [
          {
            id: "m",
            provider: "acme",
            max_output_tokens: 4096,
            price: { input: "0.15", output: "0.60" },
            routes: [{ provider: "acme", upstream_model: "sim-fast", format: "chat" }],
          },
        ],
      };
      writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
      await tollgate("migrate");
      await tollgate("catalogue", "apply", "catalogue.json");
      secret = (JSON.parse(await tollgate("keys", "create", "--credit", "10", "--json")) as { secret: string }).secret;
      rememberSecrets([ADMIN_TOKEN, secret]);
      const guarded = { ...environment, TOLLGATE_LEDGER_REQUIRE_SYNCHRONOUS_STANDBY: "on" };
      gateway = await startServeProcess({ folder, environment: guarded });
    });
    afterAll(async () => {
      await gateway?.stop();
      await simulator?.stop();
      await standby?.close();
      await primary?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function administer(...statements: string[]): Promise<void> {
      const client = new Client({ connectionString: primary.superuserUrl });
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    }

    async function tollgate(...words: string[]): Promise<string> {
      const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env: environment });
      if (code !== 0) throw new Error(stderr);
      return stdout;
    }

    async function ask(): Promise<number> {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }),
      });
      await response.arrayBuffer();
      return response.status;
    }

    const demand = (names: string) =>
      administer(`alter system set synchronous_standby_names = '${names}'`, "select pg_reload_conf()");

    const reasons = async (): Promise<string[]> =>
      ((await (await fetch(`${gateway.adminUrl}/healthz`)).json()) as { reasons: string[] }).reasons;

    /** What Prometheus would read, by the end of the names. */
    async function standbyGauges(): Promise<Record<string, number>> {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const text = await (await fetch(`${gateway.adminUrl}/metrics`, { headers })).text();
      const found = [...text.matchAll(/^tollgate_database_standbys_(\w+) (\d+)$/gm)];
      return Object.fromEntries(found.map(([, name, value]) => [name, Number(value)]));
    }

    const healthy = async (): Promise<number> => (await fetch(`${gateway.adminUrl}/healthz`)).status;
    const refusals = (reason: string): number => gateway.output().split(`"reason":"${reason}"`).length - 1;

    test("without one every request is 503 and asks no provider, and the log has the fix", async () => {
      await until(async () => (await healthy()) === 503, "it is said");
      const answer = await fetch(`${gateway.adminUrl}/healthz`);
      expect(await answer.json()).toEqual({
        status: "unavailable",
        reasons: [expect.stringContaining("the database has no synchronous standby, and")],
      });
      expect(await (await fetch(`${gateway.url}/readyz`)).json()).toEqual({ status: "degraded" });
      expect(await ask()).toBe(503);
      expect(await simulator.witness()).toEqual([]);
      expect(refusals("unnamed")).toBe(1);
      expect(gateway.output()).toContain("Set synchronous_standby_names");
    });

    test("with one requests are served; when it goes they are refused at once and do not wait for it; when it is back they are served", async () => {
      standby = await startStandbyOf(primary);
      await administer("alter system set synchronous_standby_names = '*'", "select pg_reload_conf()");
      await until(async () => (await healthy()) === 200, "it is healthy");
      expect(await ask()).toBe(200);

      await standby.stop();
      await until(async () => (await healthy()) === 503, "it is no longer healthy");
      expect(await ask()).toBe(503);
      await until(() => refusals("absent") > 0, "the log says why");

      await standby.start();
      await until(async () => (await healthy()) === 200, "it is healthy again");
      expect(await ask()).toBe(200);
    });

    test("a gateway says that a standby to spare is missing while commits do not wait yet, and that one is lost when they do", async () => {
      await administer("grant pg_read_all_stats to tollgate");
      await demand("ANY 1 (walreceiver, another)");
      await until(
        async () => (await reasons()).some((reason) => reason.includes("(1): if one more")),
        "it is said",
        LOOK_MS,
      );
      expect(await healthy()).toBe(200);
      expect(await ask()).toBe(200);
      expect(await (await fetch(`${gateway.url}/readyz`)).json()).toEqual({ status: "degraded" });
      expect(await standbyGauges()).toEqual({ needed: 1, confirming: 1, to_spare: 0, spare_named: 1 });
      await until(() => gateway.output().includes('"finding":"standby_spare"'), "the log says it");

      await demand("ANY 2 (walreceiver, another)");
      await until(async () => (await standbyGauges())["needed"] === 2, "it is measured", LOOK_MS);
      expect(await standbyGauges()).toEqual({ needed: 2, confirming: 1 });
      expect(await healthy()).toBe(503);
      expect(await ask()).toBe(503);
      await until(() => gateway.output().includes("waits for 2 synchronous standbys, and 1"), "the log says it");
    }, 120_000);
  },
);
