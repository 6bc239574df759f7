import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { type FreshDatabase, freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { startServeProcess } from "../support/serve-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { openChatStream, readAll } from "../support/sse-client.ts";
import { bareEnvironment } from "../support/child-environment.ts";

/** The long run is the promise; the short one is for every change, also on a machine with much else to do, where all take longer. */
const SHORT = process.env["TEST_LONG"] === undefined;
const STREAMS = SHORT ? 500 : 2_000;
const PATIENCE = SHORT
  ? { TOLLGATE_LEDGER_TIMEOUT_MS: "15000", TOLLGATE_DATABASE_CONNECT_TIMEOUT_MS: "30000" }
  : undefined;
const ADMIN_TOKEN = "an-admin-token-for-bursts";
const PROVIDER_KEY = "sk-provider-key-for-bursts-0123456789";
const missing = whyUnavailable("newest");

describe.skipIf(missing)("a process that has just started", () => {
  let database: FreshDatabase;
  let simulator: SimulatorProcess;
  let folder: string;
  let environment: Record<string, string>;
  let gateway: Awaited<ReturnType<typeof startServeProcess>> | undefined;
  let key: string;

  const tollgate = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env: environment });
    if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
    return stdout;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-burst-"));
    [database, simulator] = await Promise.all([freshDatabase(), startSimulatorProcess()]);
    environment = {
      ...bareEnvironment(),
      DATABASE_URL: database.url,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
      BURST_KEY: PROVIDER_KEY,
      ...PATIENCE,
    };
    const route = { provider: "acme", upstream_model: "sim+tokens=4+pause=2", format: "chat", conformant: true };
    const model = { id: "held", provider: "acme", max_output_tokens: 4096, price: { input: "1", output: "4" } };
    const catalogue = {
      providers: [{ name: "acme", base_url: `${simulator.url}/v1`, credential: "env:BURST_KEY" }],
      models: [{ ...model, routes: [{ ...route, first_byte_timeout_ms: 120_000 }] }],
    };
    writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
    await tollgate("catalogue", "apply", "catalogue.json");
    ({ secret: key } = JSON.parse(await tollgate("keys", "create", "--credit", "1000", "--json")) as {
      secret: string;
    });
    rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY, key]);
  });
  afterAll(async () => {
    await gateway?.stop();
    await simulator?.stop();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test(`opens ${STREAMS} streams that are asked for at once, and refuses none`, { timeout: 300_000 }, async () => {
    const { url } = (gateway = await startServeProcess({ folder, environment }));
    const began = performance.now();
    const streams = await Promise.all(
      Array.from({ length: STREAMS }, async () => {
        const stream = await openChatStream({ url, key, model: "held", body: { max_tokens: 8 } });
        return { ...stream, afterMs: performance.now() - began };
      }),
    );
    const sorted = streams.map(({ afterMs }) => afterMs).toSorted((one, other) => one - other);
    const at = (share: number): string => ((sorted[Math.ceil(share * STREAMS) - 1] ?? 0) / 1_000).toFixed(1);
    console.log(`${STREAMS} streams on a fresh process: half open after ${at(0.5)} s, all after ${at(1)} s`);
    const refused = streams.filter(({ status }) => status !== 200);
    const told = await Promise.all(refused.map(async ({ response }) => (await readAll(response)).text));
    await simulator.release();
    const ends = await Promise.all(streams.map(async ({ response }) => readAll(response)));

    expect(new Set(told.map((text) => text.replace(/req_\w+/, "")))).toEqual(new Set());
    expect(ends.filter(({ text, broken }) => broken || !text.endsWith("data: [DONE]\n\n"))).toEqual([]);
  });
});
