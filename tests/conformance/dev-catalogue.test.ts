import { hash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../support/gateway-process.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { sharedFolder } from "../support/recordings.ts";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { until } from "../support/until.ts";
import { childEnvironment } from "../support/child-environment.ts";

/** Every command is a process of its own, on a machine that may be busy. */
const SLOW = { timeout: 300_000 };
/** Without a word: the search for leaked pieces of it must not find the name of a file. */
const PROVIDER_KEY = `sk-${randomBytes(18).toString("hex")}`;

type Tollgate = (words: readonly string[], input?: string) => Promise<Ran>;

let gateway: GatewayProcess;
let simulator: SimulatorProcess;
let dev: Tollgate;
beforeAll(async () => {
  [gateway, simulator] = await Promise.all([startGatewayProcess(), startSimulatorProcess()]);
  rememberSecrets([PROVIDER_KEY]);
  const env = { ...childEnvironment(), HOME: gateway.folder };
  dev = (words, input) => runTollgate(words, { cwd: gateway.folder, env, ...(input === undefined ? {} : { input }) });
});
afterAll(async () => {
  await gateway.stop();
  await simulator.stop();
});

const FACTS = ["--context", "128_000", "--max-output", "4096", "--input", "0", "--output", "1000"];
const routeTo = (provider: string, upstream: string): string[] => [
  "--provider",
  provider,
  "--upstream-model",
  upstream,
  "--format",
  "chat",
];

describe("beside dev", () => {
  const call = async (model: string): Promise<number> => {
    const response = await fetch(`${gateway.publicUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const answers = (model: string, wanted: number): Promise<void> =>
    until(async () => (await call(model)) === wanted, `${model} answers ${wanted}`, 30_000);
  async function done(words: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await dev(words, input);
    expect({ words, code, stderr: code === 0 ? "" : stderr }).toEqual({ words, code: 0, stderr: "" });
    return stdout;
  }

  test(
    "a provider and a model are added, sold, priced, hidden and taken away, with a stored credential",
    SLOW,
    async () => {
      const add = ["providers", "add", "acme", "--url", `${simulator.url}/v1`, "--credential-stdin"];
      expect(await done(add, PROVIDER_KEY)).toMatch(/^Added acme: \S+, credential stored, key [0-9a-f]{4}…\.\n$/);
      await done(["models", "add", "fast", ...routeTo("acme", "sim-fast+tokens=4"), ...FACTS]);
      await answers("fast", 200);
      const digest = hash("sha256", PROVIDER_KEY).slice(0, 12);
      expect((await simulator.witness()).at(-1)?.credentialDigest).toBe(digest);

      expect(await done(["providers", "test", "acme"])).toMatch(/status +200\n[^]*usage +input \d+, output 4\n/);
      expect((await simulator.witness()).at(-1)?.credentialDigest).toBe(digest);
      expect(await done(["models", "price", "fast", "--output", "2000.5"])).toContain("output 1000 → 2000.5");
      await done(["models", "unpublish", "fast"]);
      await answers("fast", 404);
      await done(["models", "publish", "fast"]);
      await answers("fast", 200);

      expect(await dev(["providers", "remove", "acme"])).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("Published models have routes to acme: fast.") as string,
      });
      expect(await done(["providers", "remove", "acme", "--force"])).toContain("without a route: fast");
      await answers("fast", 502);
      const log = (): string => readFileSync(join(gateway.folder, ".tollgate/tollgate.log"), "utf8");
      await until(() => log().includes('"removed provider acme"'), "the log tells what was removed", 30_000);
      expect(log()).not.toContain(PROVIDER_KEY);
    },
  );

  test("a credential that only the other terminal has is missed with a warning and not in silence", SLOW, async () => {
    const url = `${simulator.url}/v1`;
    const { code, stderr } = await dev(["providers", "add", "lost", "--url", url, "--credential", "env:LOST_KEY"]);

    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "warning: the running gateway cannot read the credential: env:LOST_KEY names a variable that is not set. Provide it there, or store it with --credential-stdin --replace.\n",
    });
    expect(await dev(["providers", "test", "lost", "--model", "sim"])).toMatchObject({ code: 1, stdout: "" });
  });

  const list = join(sharedFolder() ?? "", "data/litellm-model-prices.json");

  test.skipIf(!existsSync(list))("a whole price list is carried, and listed to its end", SLOW, async () => {
    await done(["providers", "add", "everybody", "--preset", "ollama"]);
    const words = ["models", "import", "--from", "litellm", list, "--provider", "everybody", "--vendor", "*"];

    expect(await done([...words, "--apply"])).toMatch(/^2122 new, 0 changed, 0 unchanged, \d+ left out, \d+ refused/m);
    expect(await done(words)).toMatch(/^0 new, 0 changed, 2122 unchanged, \d+ left out, \d+ refused/m);
    const listed = JSON.parse(await done(["models", "list", "--json"])) as { data: { id: string; provider: string }[] };
    expect(listed.data.filter(({ provider }) => provider === "everybody")).toHaveLength(2_122);
  });
});

const missing = whyUnavailable("15");

describe.skipIf(missing)("on PostgreSQL and beside dev", () => {
  let database: FreshDatabase;
  let folder: string;
  let direct: Tollgate;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-twice-"));
    database = await freshDatabase();
    const env = {
      ...childEnvironment(),
      HOME: folder,
      DATABASE_URL: database.url,
      TOLLGATE_CREDENTIAL_KEY: readFileSync(join(gateway.folder, ".tollgate/credential.key"), "utf8").trim(),
    };
    direct = (words, input) => runTollgate(words, { cwd: folder, env, ...(input === undefined ? {} : { input }) });
    writeFileSync(join(folder, "catalogue.json"), CATALOGUE);
    writeFileSync(join(gateway.folder, "twice.json"), CATALOGUE);
    writeFileSync(join(folder, "prices.json"), PRICES);
    writeFileSync(join(gateway.folder, "prices.json"), PRICES);
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("each command prints the same and ends the same", SLOW, async () => {
    for (const { words, input, isOfAll } of steps(simulator.url)) {
      const [here, there] = await Promise.all([
        direct(words, input),
        dev(
          words.map((word) => (word === "catalogue.json" ? "twice.json" : word)),
          input,
        ),
      ]);

      const shown = (ran: Ran): Ran => ({ ...ran, stdout: alike(isOfAll ? onlyTwice(ran.stdout) : ran.stdout) });
      expect({ words, ...shown(there), stderr: alike(there.stderr) }).toEqual({
        words,
        ...shown(here),
        stderr: alike(withoutEvents(here.stderr)),
      });
    }
  });
});

/** What a command changes itself it tells on standard error, line by line; a gateway tells it in its own log. */
const withoutEvents = (text: string): string => text.replaceAll(/^\{.*"catalogue changed".*\}\n/gm, "");

type Step = { words: string[]; input?: string; isOfAll?: true };

const CATALOGUE = JSON.stringify({
  providers: [{ name: "twice", base_url: "https://api.example.com/v1", credential: "none" }],
  models: [
    {
      id: "twice/described",
      provider: "twice",
      output_ceiling: 100,
      price: { input: "2.5", output: 10, tools: { web_search: "0.01" } },
      routes: [{ provider: "twice", upstream_model: "described", format: "messages" }],
    },
  ],
});
const PRICES = JSON.stringify({
  "twice/listed": {
    mode: "chat",
    litellm_provider: "twice",
    max_tokens: 100,
    input_cost_per_token: 1e-6,
    output_cost_per_token: 3e-6,
  },
});

function steps(simulatorUrl: string): Step[] {
  const url = `${simulatorUrl}/v1`;
  const importing = ["models", "import", "--from", "litellm", "prices.json", "--provider", "twice", "--markup", "1.1"];
  const plain = [
    ["catalogue", "apply", "catalogue.json"],
    ["catalogue", "apply", "catalogue.json", "--json"],
    ["providers", "add", "twice", "--url", url, "--credential", "none"],
    ["providers", "add", "twice", "--url", url, "--credential", "none", "--replace"],
    ["models", "add", "twice/added", ...routeTo("twice", "sim-fast"), ...FACTS, "--json"],
    ["models", "add", "twice/added", ...routeTo("twice", "spare"), "--priority", "1"],
    ["models", "add", "twice/added", ...routeTo("nobody", "spare")],
    ["models", "price", "twice/added", "--cache-read", "0.5", "--from", "2090-01-01T00:00:00Z"],
    ["models", "price", "twice/added", "--input", "1", "--from", "2020-01-01T00:00:00Z"],
    ["models", "price", "nobody", "--input", "1", "--json"],
    ["catalogue", "prices", "twice/added"],
    ["catalogue", "prices", "twice/added", "--json"],
    ["catalogue", "prices", "nobody"],
    importing,
    [...importing, "--apply", "--json"],
    ["models", "publish", "twice/listed", "twice/added"],
    ["models", "unpublish", "nobody"],
    ["models", "list", "--match", "twice/*"],
    ["models", "list", "--match", "twice/*", "--json"],
    ["models", "routes", "twice/added", "--json"],
    ["models", "routes", "twice/added", "remove", "twice/spare"],
    ["models", "routes", "twice/added", "remove", "twice/sim-fast"],
    ["models", "routes", "twice/added", "remove", "nothing"],
  ].map((words) => ({ words }));
  return [
    ...plain,
    { words: ["providers", "list", "--json"], isOfAll: true },
    { words: ["providers", "add", "sealed", "--url", url, "--credential-stdin", "--json"], input: PROVIDER_KEY },
    { words: ["providers", "add", "sealed", "--url", url, "--credential", "stored"] },
    { words: ["providers", "rekey"] },
    { words: ["providers", "remove", "twice"] },
    { words: ["providers", "remove", "twice", "--force"] },
    { words: ["providers", "remove", "twice", "--force", "--json"] },
  ];
}

/** Of a list of everything, what these commands made: `dev` has a provider of its own. */
function onlyTwice(stdout: string): string {
  const { data } = JSON.parse(stdout) as { data: { name: string }[] };
  return JSON.stringify(data.filter(({ name }) => name === "twice"));
}

/** Without what differs from one database to the next: the ids of routes, which also decide between equals. */
const alike = (text: string): string => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
