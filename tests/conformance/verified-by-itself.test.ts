import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { childEnvironment } from "../support/child-environment.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { until } from "../support/until.ts";

const ADMIN_TOKEN = "an-admin-token-for-tests";
const NOTHING_YET = 0;

describe.skipIf(whyUnavailable("15"))("verification while `tollgate serve` runs", () => {
  let folder: string;
  let database: { url: string; close: () => Promise<void> };
  let client: Client;
  const gateways: ServeProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-verified-"));
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await Promise.all(gateways.map(({ stop }) => stop()));
    await client.end();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = (): Record<string, string> => ({
    ...childEnvironment(),
    DATABASE_URL: database.url,
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
  });

  async function start(more: Record<string, string> = {}): Promise<ServeProcess> {
    const gateway = await startServeProcess({ folder, environment: { ...environment(), ...more } });
    gateways.push(gateway);
    return gateway;
  }

  async function metric(gateway: ServeProcess, name: string): Promise<number> {
    const response = await fetch(`${gateway.adminUrl}/metrics`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const line = (await response.text()).split("\n").find((one) => one.startsWith(`${name} `));
    return Number(line?.split(" ")[1] ?? Number.NaN);
  }

  test("every gateway says up to when the ledger is verified, and a planted mismatch alarms within a minute of its turn", async () => {
    const began = Date.now();
    const [one, other] = [await start(), await start()];
    for (const gateway of [one, other])
      await until(
        async () => (await metric(gateway, "tollgate_ledger_verified_timestamp")) * 1_000 >= began - 1_000,
        "the first round has ended",
        120_000,
      );
    expect(await metric(one, "tollgate_ledger_mismatches")).toBe(NOTHING_YET);

    // Of a key that has paid nothing in.
    await client.query("insert into key (id, bucket, mode) values (gen_random_uuid(), 7, 'credit')");
    await client.query("update balance set funded = 5, posted = 5");
    await client.query("update verified_day set verified_at = verified_at - interval '6 minutes'");
    const planted = Date.now();
    await until(async () => (await metric(one, "tollgate_ledger_mismatches")) === 2, "the mismatch is counted", 60_000);
    await until(async () => (await metric(other, "tollgate_ledger_mismatches")) === 2, "both count it", 60_000);

    const lines = (one.output() + other.output()).split("\n").filter((line) => line.includes("ledger mismatch"));
    expect(Date.now() - planted).toBeLessThan(60_000);
    expect(lines).toHaveLength(2);
    expect(lines.join("\n")).toMatch(/"figure":"counter\.funded".*"show":"tollgate ledger verify --recompute --key /);
    const listed = await runTollgate(["ledger", "verifications", "--days"], { cwd: folder, env: environment() });
    expect(listed.stdout).toContain("counter.funded");
    expect(listed.stdout).toContain("2 differences");
  });

  test("nothing is verified where it is turned off", async () => {
    const gateway = await start({ TOLLGATE_VERIFICATION_ENABLED: "off" });

    expect(await metric(gateway, "tollgate_ledger_verifying")).toBe(0);
    expect(await metric(gateway, "tollgate_ledger_verified_timestamp")).toBe(0);
  });
});
