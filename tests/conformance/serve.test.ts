import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { MAIN, type Ran, runTollgate } from "../support/run-tollgate.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { until } from "../support/until.ts";
import { childEnvironment } from "../support/child-environment.ts";

const ADMIN_TOKEN = "an-admin-token-for-tests";
const PROVIDER_KEY = "sk-provider-key-for-tests-0123456789";
const missing = whyUnavailable("15");

type Served = { url: string; output: () => string; stop: () => Promise<number | null> };

describe.skipIf(missing)("tollgate serve on PostgreSQL", () => {
  let database: { url: string; close: () => Promise<void> };
  let simulator: SimulatorProcess;
  let folder: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-serve-"));
    [database, simulator] = await Promise.all([freshDatabase({ migrated: false }), startSimulatorProcess()]);
    rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY]);
    environment = {
      ...childEnvironment(),
      DATABASE_URL: database.url,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
      REAL_PROVIDER_KEY: PROVIDER_KEY,
    };
    const catalogue = {
      providers: [{ name: "acme", base_url: `${simulator.url}/v1`, credential: "env:REAL_PROVIDER_KEY" }],
      models: [
        {
          id: "acme-fast",
          provider: "acme",
          max_output_tokens: 4096,
          price: { input: "0.15", output: "0.60" },
          routes: [{ provider: "acme", upstream_model: "sim-fast", format: "chat" }],
        },
      ],
    };
    writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
  });
  afterAll(async () => {
    await simulator.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...words: string[]): Promise<Ran> => runTollgate(words, { cwd: folder, env: environment });

  async function serve(): Promise<Served> {
    const child = spawn(process.execPath, [MAIN, "serve"], { cwd: folder, env: environment });
    let output = "";
    child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
    const exited = once(child, "close") as Promise<[number | null]>;
    const address = /"listener":"public","url":"([^"]+)"/;
    await until(() => address.test(output) || child.exitCode !== null, `it listens: ${output}`);
    const url = address.exec(output)?.[1] ?? "";
    const stop = async (): Promise<number | null> => {
      child.kill("SIGTERM");
      return (await exited)[0];
    };
    return { url, output: () => output, stop };
  }

  test("refuses to start on a database that is behind, and says what to run", async () => {
    const { code, stderr } = await run("serve");

    expect(code).toBe(1);
    expect(stderr).toContain("tollgate migrate");
  });

  test("a wrong setting stops it before it listens and names the field", async () => {
    const { code, stderr } = await runTollgate(["serve"], { cwd: folder, env: { ...environment, PORT: "eighty" } });

    expect(code).toBe(1);
    expect(stderr).toContain("PORT: listen.port: expected");
  });

  test("from an empty database to an answer, and a revocation that reaches every process", async () => {
    expect(await run("migrate")).toMatchObject({ code: 0 });
    expect(await run("catalogue", "apply", "catalogue.json")).toMatchObject({ code: 0 });
    const { key, secret } = JSON.parse((await run("keys", "create", "--credit", "10", "--json")).stdout) as {
      key: { id: string };
      secret: string;
    };
    rememberSecrets([secret]);
    const gateways = await Promise.all([serve(), serve()]);
    const clients = gateways.map(({ url }) => new OpenAI({ apiKey: secret, baseURL: `${url}/v1`, maxRetries: 0 }));

    for (const client of clients) {
      const answer = await client.chat.completions.create({
        model: "acme-fast",
        messages: [{ role: "user", content: "Hello" }],
      });
      expect(answer).toMatchObject({ model: "acme-fast", object: "chat.completion" });
    }
    expect((await simulator.witness()).every(({ credentialDigest }) => credentialDigest !== null)).toBe(true);

    expect(await run("keys", "revoke", key.id)).toMatchObject({ code: 0 });
    for (const client of clients) {
      await until(
        async () =>
          client.models.list().then(
            () => false,
            (error: unknown) => error instanceof OpenAI.AuthenticationError,
          ),
        "the revoked key stops",
        1_000,
      );
    }
    const codes = await Promise.all(gateways.map(({ stop }) => stop()));
    expect(codes).toEqual([0, 0]);
    const written = gateways.map(({ output }) => output()).join("");
    for (const hidden of [secret, ADMIN_TOKEN, PROVIDER_KEY]) expect(written).not.toContain(hidden);
  });
});
