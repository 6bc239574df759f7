import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { sharedFolder } from "../support/recordings.ts";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { until } from "../support/until.ts";
import { childEnvironment } from "../support/child-environment.ts";

/** Every command is a process of its own, on a machine that may be busy. */
const SLOW = { timeout: 180_000 };
const ADMIN_TOKEN = "an-admin-token-for-tests";
const PROVIDER_KEY = "sk-provider-key-for-tests-0123456789";
const missing = whyUnavailable("15");

type Price = { input: string; output: string; cache_read: string | null; tools: Record<string, string> };
type Listed = { id: string; published: boolean; obstacles: string[]; price: Price | null };
type Imported = {
  applied: boolean;
  models: { id: string; change: string }[];
  skipped: { reason: string; models: number; ids: string[] }[];
  refused: { id: string; field: string }[];
};

describe.skipIf(missing)("providers and models by command", () => {
  let database: FreshDatabase;
  let simulator: SimulatorProcess;
  let folder: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-models-"));
    [database, simulator] = await Promise.all([freshDatabase(), startSimulatorProcess()]);
    rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY]);
    environment = {
      ...childEnvironment(),
      HOME: folder,
      DATABASE_URL: database.url,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
      ACME_KEY: PROVIDER_KEY,
    };
  });
  afterAll(async () => {
    await simulator.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const tollgate = (...words: string[]): Promise<Ran> => runTollgate(words, { cwd: folder, env: environment });
  async function done(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await tollgate(...words);
    expect({ words, code, stderr: code === 0 ? "" : stderr }).toEqual({ words, code: 0, stderr: "" });
    return stdout;
  }
  const data = async <Answer>(...words: string[]): Promise<Answer> =>
    JSON.parse(await done(...words, "--json")) as Answer;
  async function refused(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await tollgate(...words);
    expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: "" });
    return stderr;
  }

  describe("beside a running gateway", () => {
    let gateway: ServeProcess;
    let secret: string;
    beforeAll(async () => {
      gateway = await startServeProcess({ folder, environment });
      secret = (await done("keys", "create", "--credit", "5")).trim();
      rememberSecrets([secret]);
    });
    afterAll(() => gateway.stop());

    const status = async (more: object = {}): Promise<number> => {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "fast", messages: [{ role: "user", content: "Hello" }], ...more }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const answers = async (wanted: number): Promise<void> =>
      until(async () => (await status()) === wanted, `the gateway answers ${wanted}`, 30_000);
    const lastCost = async (): Promise<number> => {
      const response = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${secret}` } });
      return ((await response.json()) as { credits: { last_request_cost: number } }).credits.last_request_cost;
    };

    test("a model is added, sold, priced anew, hidden and shown again without a file or a restart", SLOW, async () => {
      await done("providers", "add", "acme", "--url", `${simulator.url}/v1/`, "--credential", "env:ACME_KEY");
      expect(await status()).toBe(404);
      const route = ["--provider", "acme", "--upstream-model", "sim-fast+tokens=4", "--format", "chat"];
      const facts = ["--context", "128_000", "--max-output", "4096", "--input", "0", "--output", "1000"];
      await done("models", "add", "fast", ...route, ...facts);
      await answers(200);
      expect(await lastCost()).toBe(0.004);

      await done("models", "price", "fast", "--output", "2000.5");
      await until(
        async () => (await status()) === 200 && (await lastCost()) === 0.008002,
        "the new price holds",
        30_000,
      );
      await done("models", "unpublish", "fast");
      await answers(404);
      await done("models", "publish", "fast");
      await answers(200);
    });

    test("a model that is there is said not to reason, and is then not asked to", SLOW, async () => {
      const route = ["--provider", "acme", "--upstream-model", "sim+thoughtless+tokens=4", "--format", "messages"];
      const facts = ["--context", "128_000", "--max-output", "4096", "--input", "0", "--output", "1"];
      const add = (...more: string[]) => data<{ changes: object[] }>("models", "add", "plain", ...route, ...more);
      const ask = () => status({ model: "plain", reasoning_effort: "high" });
      await add(...facts);
      await until(async () => (await ask()) === 400, "the provider refuses to be asked", 30_000);

      expect(await add("--no-reasoning")).toMatchObject({ changes: [{ kind: "model", name: "plain" }] });
      await until(async () => (await ask()) === 200, "it is no longer asked", 30_000);
      expect(await data("models", "list", "--match", "plain")).toMatchObject({
        data: [{ capabilities: { reasoning: false } }],
      });
      await add("--reasoning");
      await until(async () => (await ask()) === 400, "it is asked again", 30_000);
      await done("models", "unpublish", "plain");
    });

    test("a test makes one call, with the credential, and says what came back", SLOW, async () => {
      const before = (await simulator.witness()).length;
      const tested = await data<object>("providers", "test", "acme", "--model", "sim-fast+tokens=3");
      const listed = await data<{ data: object[] }>("providers", "list");

      expect(tested).toMatchObject({ ok: true, status: 200, usage: { output_tokens: 3 }, broken_rules: [] });
      expect((await simulator.witness()).length).toBe(before + 1);
      expect((await simulator.witness()).at(-1)?.credentialDigest).not.toBeNull();
      expect(listed.data).toMatchObject([{ name: "acme", credential: "env:ACME_KEY" }]);
      const failed = await tollgate("providers", "test", "acme", "--model", "m+fail=503");
      expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("503") as string });
    });

    test("what callers need is not taken from under them by accident", SLOW, async () => {
      expect(await refused("providers", "remove", "acme")).toContain("routes to acme: fast.");
      expect(await refused("models", "routes", "fast", "remove", "acme")).toContain("only route");
      expect(await status()).toBe(200);

      await done("providers", "remove", "acme", "--force");
      await until(async () => (await status()) >= 400, "the route is gone", 30_000);
      expect(await done("models", "list")).toMatch(/^fast .* no route$/m);
      await done("models", "unpublish", "fast");
    });
  });

  const file = join(sharedFolder() ?? "", "data/litellm-model-prices.json");
  const words = ["models", "import", "--from", "litellm"];
  const changesOf = ({ models }: Imported): Record<string, number> =>
    Object.fromEntries([...Map.groupBy(models, ({ change }) => change)].map(([change, rows]) => [change, rows.length]));

  test.skipIf(!existsSync(file))(
    "a whole list is shown, then carried, and a second time adds nothing",
    SLOW,
    async () => {
      await done("providers", "add", "everybody", "--url", "https://api.example.com/v1", "--credential", "none");
      const all = [...words, file, "--provider", "everybody", "--vendor", "*"];

      const preview = await data<Imported>(...all);
      expect((await data<{ data: Listed[] }>("models", "list")).data.map(({ id }) => id)).not.toContain("gpt-4o");
      const first = await data<Imported>(...all, "--apply");
      const second = await data<Imported>(...all, "--apply");

      expect(preview).toEqual({ ...first, applied: false });
      expect(changesOf(first)).toEqual({ new: 2_122 });
      expect(changesOf(second)).toEqual({ unchanged: 2_122 });
      expect(first.skipped.flatMap(({ ids }) => ids).length + first.refused.length).toBe(2_988 - 2_122);
      expect(first.refused).toContainEqual(expect.objectContaining({ id: "wandb/zai-org/GLM-4.5" }));

      const { data: listed } = await data<{ data: Listed[] }>("models", "list");
      const prices = new Map(listed.map(({ id, price }) => [id, price]));
      expect(prices.get("gpt-4o")).toMatchObject({ input: "2.5", output: "10", cache_read: "1.25" });
      expect(prices.get("databricks/databricks-gemma-3-12b")).toMatchObject({ input: "0.15001", output: "0.50001" });
      expect(listed.find(({ id }) => id === "gpt-4o")).toMatchObject({
        published: false,
        obstacles: ["not published"],
      });
    },
  );

  test("a marked-up list changes prices to the nano, worth a credit as the settings say", SLOW, async () => {
    const list = (price: string): string =>
      JSON.stringify({
        m: { mode: "chat", litellm_provider: "tiny", max_tokens: 100, input_cost_per_token: 0 },
      }).replace('"input_cost_per_token":0', `"input_cost_per_token": ${price}, "output_cost_per_token": 3e-06`);
    const path = join(folder, "list.json");
    environment = { ...environment, TOLLGATE_CREDIT_USD: "0.5" };
    await done("providers", "add", "tiny", "--preset", "ollama");
    const run = (...more: string[]) => done(...words, path, "--provider", "tiny", "--markup", "1.1", ...more);

    writeFileSync(path, list("1.23456789e-06"));
    expect(await run("--apply")).toMatch(/^new +m +input 2\.716049358, output 6\.6, context 100, max output 100$/m);
    writeFileSync(path, list("2e-06"));
    expect(await run("--apply")).toMatch(/^changed +m +input 2\.716049358 → 4\.4$/m);
    writeFileSync(path, `{"m": {}, "m": {}}`);
    expect(await refused(...words, path, "--provider", "tiny")).toContain("m is given twice; keep one");
    writeFileSync(path, list("1"));
    expect(await run()).toMatch(/^m +input_cost_per_token +1 dollars is out of all proportion$/m);
    expect(await refused(...words, path, "--provider", "tinny")).toContain('no vendor "tinny"; did you mean tiny?');
  });

  test("--diff tells each field that a list would change, and ends with 1", SLOW, async () => {
    const listed = (input: number): object => ({
      modalities: { output: ["text"] },
      limit: { output: 9 },
      cost: { input, output: 0.75 },
    });
    const path = join(folder, "models-dev.json");
    const write = (input: number) =>
      writeFileSync(path, JSON.stringify({ small: { models: { other: listed(input), free: listed(0) } } }));
    const diff = ["models", "import", path, "--provider", "small", "--diff"];
    await done("providers", "add", "small", "--preset", "ollama");

    write(0.15);
    expect(await refused(...words, path, "--provider", "small")).toContain("omit --from, or use --from models.dev");
    await done("models", "import", path, "--provider", "small", "--apply");
    expect(await done(...diff)).toContain("0 of the catalogue's models differ");
    write(0.3);
    const { code, stdout } = await tollgate(...diff, "--json");

    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      differences: [{ id: "small/other", fields: [{ field: "input", factor: "2.000" }] }],
      skipped: [{ reason: "free", models: 1, ids: ["small/free"] }],
    });
  });
});
