import { hash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
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
import { childEnvironment } from "../support/child-environment.ts";

/** Every command and every gateway is a process of its own, on a machine that may be busy. */
const SLOW = { timeout: 240_000 };
const ADMIN_TOKEN = "an-admin-token-for-tests";
const FIRST = `sk-first-${randomBytes(18).toString("hex")}`;
const SECOND = `sk-second-${randomBytes(18).toString("hex")}`;
const SPARE = `sk-spare-${randomBytes(18).toString("hex")}`;
const [oldKey, newKey] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
const FACTS = ["--context", "128_000", "--max-output", "4096", "--input", "1", "--output", "1"];
const digestOf = (credential: string): string => hash("sha256", credential).slice(0, 12);
const missing = whyUnavailable("15");

describe.skipIf(missing)("a credential that is stored", () => {
  let database: FreshDatabase;
  let simulator: SimulatorProcess;
  let folder: string;
  let secret = "";
  let heard = "";
  const gateways: ServeProcess[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-credentials-"));
    [database, simulator] = await Promise.all([freshDatabase(), startSimulatorProcess()]);
    secret = (await done({}, "keys", "create", "--credit", "5")).trim();
    rememberSecrets([ADMIN_TOKEN, FIRST, SECOND, SPARE, oldKey, newKey, secret]);
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await simulator.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  type Keys = { TOLLGATE_CREDENTIAL_KEY?: string; TOLLGATE_CREDENTIAL_PREVIOUS_KEY?: string };
  const environment = (keys: Keys): Record<string, string> => ({
    ...childEnvironment(),
    HOME: folder,
    DATABASE_URL: database.url,
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    SPARE_KEY: SPARE,
    ...keys,
  });
  async function run(keys: Keys, words: readonly string[], input?: string) {
    const piped = input === undefined ? {} : { input };
    const ran = await runTollgate(words, { cwd: folder, env: environment(keys), ...piped });
    heard += ran.stdout.replace(secret, "") + ran.stderr;
    return ran;
  }
  async function done(keys: Keys, ...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(keys, words);
    expect({ words, code, stderr: code === 0 ? "" : stderr }).toEqual({ words, code: 0, stderr: "" });
    return stdout;
  }
  const store = (keys: Keys, credential: string, ...more: string[]) =>
    run(keys, ["providers", "add", "acme", "--url", `${simulator.url}/v1`, "--credential-stdin", ...more], credential);
  const publish = (model: string, provider: string) => {
    const route = ["--provider", provider, "--upstream-model", `sim-${model}`, "--format", "chat"];
    return done({}, "models", "add", model, ...route, ...FACTS);
  };
  async function serve(keys: Keys): Promise<ServeProcess> {
    const gateway = await startServeProcess({ folder, environment: environment(keys) });
    gateways.push(gateway);
    return gateway;
  }
  async function inDatabase(sql: string, values: string[] = []): Promise<{ row: string }[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ row: string }>(sql, values);
    await client.end();
    return rows;
  }
  /** How a gateway answers, and with which credential it was called for that. */
  async function asked({ url }: ServeProcess, model: string): Promise<{ status: number; digest: string | null }> {
    const before = (await simulator.witness()).length;
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    heard += await response.text();
    const call = (await simulator.witness()).slice(before).at(-1);
    return { status: response.status, digest: call?.credentialDigest ?? null };
  }
  /** Lines of the log are written a moment after what they tell. */
  const says = (gateway: ServeProcess, words: RegExp) =>
    until(() => words.test(gateway.output()), `the log says ${words}`, 30_000);
  const comesTo = (gateway: ServeProcess, model: string, wanted: { status: number; digest: string | null }) =>
    until(
      async () => {
        const found = await asked(gateway, model);
        return found.status === wanted.status && found.digest === wanted.digest;
      },
      `${model} is answered ${wanted.status}`,
      30_000,
    );

  test("is used at once, exchanged and given a new key while gateways serve, and seen nowhere", SLOW, async () => {
    const first = { TOLLGATE_CREDENTIAL_KEY: oldKey };
    const keyless = await run({}, ["providers", "add", "acme", "--preset", "openai", "--credential-stdin"], FIRST);
    expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining("openssl rand -base64 32") as string });
    expect(await store(first, `${FIRST}\n`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Added acme: \S+, credential stored, key [0-9a-f]{4}…\.\n$/) as string,
    });
    await done({}, "providers", "add", "spare", "--url", `${simulator.url}/v1`, "--credential", "env:SPARE_KEY");
    await publish("fast", "acme");
    await publish("steady", "spare");
    const before = await serve(first);
    expect(await asked(before, "fast")).toEqual({ status: 200, digest: digestOf(FIRST) });

    expect(await store(first, SECOND)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--replace") as string,
    });
    expect(await store(first, SECOND, "--replace")).toMatchObject({ code: 0 });
    await comesTo(before, "fast", { status: 200, digest: digestOf(SECOND) });

    const both = { TOLLGATE_CREDENTIAL_KEY: newKey, TOLLGATE_CREDENTIAL_PREVIOUS_KEY: oldKey };
    const after = await serve(both);
    expect(await asked(after, "fast")).toEqual({ status: 200, digest: digestOf(SECOND) });
    expect(await done(both, "providers", "rekey")).toMatch(/…: 1\. Already current: 0\. Could not be decrypted: 0\.$/m);
    expect(await done(both, "providers", "rekey")).toMatch(/…: 0\. Already current: 1\. Could not be decrypted: 0\.$/m);
    await comesTo(before, "fast", { status: 502, digest: null });
    expect(await asked(after, "fast")).toEqual({ status: 200, digest: digestOf(SECOND) });

    expect(await asked(before, "steady")).toEqual({ status: 200, digest: digestOf(SPARE) });
    await says(
      before,
      /"provider":"acme","problem":"the credential of acme was stored with the key [0-9a-f]{4}…, and the keys given are: [0-9a-f]{4}…\. Give that key as TOLLGATE_CREDENTIAL_KEY/,
    );
    expect(after.output()).not.toContain("credential missing");
  });

  test("is sent nowhere else when somebody points its provider elsewhere in the database", SLOW, async () => {
    const gateway = gateways[1] as ServeProcess;
    const thief = await startSimulatorProcess();
    const point = (url: string) =>
      inDatabase("update provider set base_url = $1 where name = 'acme' returning base_url as row", [`${url}/v1`]);
    await point(thief.url);
    await comesTo(gateway, "fast", { status: 502, digest: null });
    await says(gateway, new RegExp(`the stored credential of acme does not open for ${thief.url}`));
    expect(await thief.witness()).toEqual([]);
    await thief.stop();

    await point(simulator.url);
    await comesTo(gateway, "fast", { status: 200, digest: digestOf(SECOND) });
  });

  test("is missed by a gateway without the key, which starts, says so and serves the rest", SLOW, async () => {
    const gateway = await serve({});

    expect(await asked(gateway, "fast")).toEqual({ status: 502, digest: null });
    expect(await asked(gateway, "steady")).toEqual({ status: 200, digest: digestOf(SPARE) });
    await says(gateway, /the keys given are: none\./);
    expect(await run({}, ["providers", "test", "acme", "--model", "sim-fast"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the keys given are: none.") as string,
    });
    const failed = await run({ TOLLGATE_CREDENTIAL_KEY: oldKey }, ["providers", "rekey", "--json"]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ resealed: [], unopened: [{ provider: "acme" }] });
  });

  test("is tried by command, listed by the name of its key, and in no output and no row", SLOW, async () => {
    const keys = { TOLLGATE_CREDENTIAL_KEY: newKey };
    const tested = JSON.parse(await done(keys, "providers", "test", "acme", "--model", "sim-fast", "--json")) as object;
    expect(tested).toMatchObject({ ok: true, status: 200 });
    expect(await done({}, "providers", "list")).toMatch(/^acme +\S+ +stored, key [0-9a-f]{4}… /m);
    await done({}, "providers", "list", "--json");

    const rows = await inDatabase("select provider::text || to_json(provider) as row from provider");
    for (const { adminUrl } of gateways) {
      const metrics = await fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
      heard += await metrics.text();
    }
    const everything = [heard, ...rows.map(({ row }) => row), ...gateways.map((gateway) => gateway.output())].join(
      "\n",
    );
    expect(rows).toHaveLength(2);
    expect(gateways).toHaveLength(3);
    for (const hidden of [FIRST, SECOND, SPARE, oldKey, newKey]) {
      const pieces = [hidden.slice(0, 16), hidden.slice(-16), Buffer.from(hidden).toString("hex")];
      for (const piece of pieces) expect(everything).not.toContain(piece);
    }
  });
});
