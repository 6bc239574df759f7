import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";
import { promote, startStandbyOf } from "../support/postgres-standby.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { startSwitch, type Switch } from "../support/tcp-switch.ts";
import { until } from "../support/until.ts";
import { bareEnvironment } from "../support/child-environment.ts";

const ADMIN_TOKEN = "an-admin-token-for-tests";

describe.skipIf(whyUnavailable("15") !== null)("an address leads back to an old primary", () => {
  let old: Cluster;
  let promoted: Cluster;
  let address: Switch;
  let gateway: ServeProcess;
  let folder: string;
  let secret: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-refused-"));
    old = await startCluster();
    const client = new Client({ connectionString: old.superuserUrl });
    await client.connect();
    await client.query("create database books");
    await client.end();
    address = await startSwitch(old.port);
    const environment = {
      ...bareEnvironment(),
      DATABASE_URL: `postgres://postgres@127.0.0.1:${address.port}/books`,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
    };
    const tollgate = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env: environment });
      if (code !== 0) throw new Error(stderr);
      return stdout;
    };
    await tollgate("migrate");
    secret = (JSON.parse(await tollgate("keys", "create", "--credit", "10", "--json")) as { secret: string }).secret;
    rememberSecrets([ADMIN_TOKEN, secret]);
    promoted = await startStandbyOf(old);
    gateway = await startServeProcess({ folder, environment });
    await promote(promoted);
  });
  afterAll(async () => {
    await gateway?.stop();
    await address?.close();
    await promoted?.close();
    await old?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const healthy = async (): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${gateway.adminUrl}/healthz`);
    return { status: response.status, text: await response.text() };
  };
  /** Counted by the ledger like every request, and needs no provider. */
  const ask = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${gateway.url}/v1/models`, { headers });
    await response.arrayBuffer();
    return response.status;
  };

  /** Lines are written together, a moment after what they tell. */
  const logged = (line: RegExp) => until(() => line.test(gateway.output()), `the log says ${line.source}`);

  test("the promotion is followed; on the way back requests are 503, and health, log and metric say why", async () => {
    await until(async () => (await ask()) === 200, "it serves");

    address.turnTo(promoted.port);
    await until(async () => (await healthy()).status === 200 && (await ask()) === 200, "it serves on timeline 2");
    await logged(/"msg":"ledger moved to a higher timeline","from":1,"to":2/);

    address.turnTo(old.port);
    const refusal =
      "it is on timeline 1, but the ledger is on timeline 2. It is an old primary that still takes writes: stop it";
    await until(async () => (await healthy()).status === 503, "it is said");
    expect((await healthy()).text).toContain(refusal);
    expect((await healthy()).text).not.toContain("127.0.0.1");
    await until(async () => (await ask()) === 503, "requests are refused");
    await logged(
      /"msg":"database server refused","reason":"the database server 127\.0\.0\.1:\d+ is refused: it is on timeline 1/,
    );
    const metrics = await fetch(`${gateway.adminUrl}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    expect(await metrics.text()).toMatch(/^tollgate_database_servers_refused_total [1-9]/m);

    address.turnTo(promoted.port);
    await until(async () => (await healthy()).status === 200 && (await ask()) === 200, "it serves again");
  });
});
