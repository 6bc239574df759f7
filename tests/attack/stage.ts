import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { parseCredits } from "../../src/core/money/money.ts";
import { makeStageKey } from "../chaos/ledger/stage-keys.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { startCluster } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { type Account, readAccount, type StageKey } from "./account.ts";
import { makePerson, type Person } from "./person.ts";
import { type Neighbour, startNeighbour } from "./neighbour-process.ts";
import type { Unit } from "./formats.ts";
import type { Habit, ProviderCall } from "./provider/habit.ts";
import { PRICE, TOKENS_PER_CREDIT } from "./price.ts";
import { childEnvironment } from "../support/child-environment.ts";

export type Stage = {
  gateway: ServeProcess;
  /** The same with time limits of seconds. */
  hasty: ServeProcess;
  neighbour: Neighbour;
  /** The same with room for few requests, bytes and sockets; started when it is first asked for. */
  small: () => Promise<ServeProcess>;
  makeKey: (unit: Unit, credit: string) => Promise<StageKey>;
  /** Somebody with an account of their own and so much in it. */
  makePerson: (credit: string) => Promise<Person>;
  topUp: (keyId: string, credit: string) => Promise<void>;
  account: (keyId: string) => Promise<Account>;
  /** What the provider wrote down about a model. */
  calls: (model: string) => Promise<ProviderCall[]>;
  admin: (method: string, path: string, body?: object) => Promise<{ status: number; body: Record<string, unknown> }>;
  close: () => Promise<void>;
};

export type StageModel = {
  id: string;
  dialects: readonly string[];
  habit: Partial<Habit>;
  contextWindow: number;
  maxOutputTokens: number;
  capabilities: Record<string, unknown>;
  conformant: boolean;
};

const ADMIN_TOKEN = "an-admin-token-for-attacks";
const PROVIDER_KEY = "sk-provider-key-for-attacks-0123456789";
export const NEIGHBOUR_MODEL = "neighbour";

/** Deadlines that an attempt can wait for, and that leave a busy machine the time to deliver what is produced before them. */
const HASTY = {
  TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "6000",
  TOLLGATE_LIMITS_CLIENT_STALL_MS: "2000",
};

/** What few callers can fill. A payer may have a quarter of each. */
const SMALL = {
  TOLLGATE_LIMITS_OPEN_REQUESTS: "40",
  TOLLGATE_LIMITS_BODY_BYTES: "1048576",
  TOLLGATE_LIMITS_BODY_BUDGET_BYTES: "8388608",
  TOLLGATE_WEBSOCKET_SOCKETS: "24",
  TOLLGATE_WEBSOCKET_CONVERSATION_BYTES: "4194304",
};

/** One PostgreSQL, one provider, two gateways and a neighbour, each in a process of its own. `spoken`: by the provider of every model. */
export async function startStage(models: readonly StageModel[], spoken: string | null = null): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-attack-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = parts.adopt(await startCluster(), (it) => it.close());
  const provider = parts.adopt(await startProvider(), (it) => it.stop());
  // The neighbour has a provider to itself, so that it waits for the gateway alone.
  const calm = parts.adopt(await startProvider(), (it) => it.stop());
  const environment = {
    ...childEnvironment(),
    DATABASE_URL: cluster.url(),
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    ATTACK_PROVIDER_KEY: PROVIDER_KEY,
    TOLLGATE_LEDGER_WRITE_OFF_CAP: WRITE_OFF_CAP,
    TOLLGATE_LEDGER_WRITE_OFF_CAP_TOKENS: String(WRITE_OFF_CAP_TOKENS),
    TOLLGATE_WEBSOCKET_ENABLED: "on",
  };
  rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY]);
  const habits = Object.fromEntries(models.map(({ id, habit }) => [id, habit]));
  await Promise.all([provider.learn(habits), calm.learn(habits)]);
  writeFileSync(
    join(folder, "catalogue.json"),
    JSON.stringify(
      catalogueOf(
        provider.url,
        calm.url,
        spoken === null ? models : models.map((model) => ({ ...model, dialects: [spoken] })),
      ),
    ),
  );
  for (const words of [["migrate"], ["catalogue", "apply", "catalogue.json"]]) {
    const { code, stderr } = await runTollgate(words, { cwd: folder, env: environment });
    if (code !== 0) throw new Error(`tollgate ${words.join(" ")}: ${stderr}`);
  }
  const serve = async (name: string, settings: Record<string, string>): Promise<ServeProcess> => {
    const own = join(folder, name);
    mkdirSync(own);
    const started = startServeProcess({ folder: own, environment: { ...environment, ...settings }, stretch: true });
    return parts.adopt(await started, async (it) => void (await it.stop()));
  };
  const smallFolder = join(folder, "small");
  mkdirSync(smallFolder);
  const gateway = await serve("gateway", {});
  const hasty = await serve("hasty", HASTY);
  let started: Promise<ServeProcess> | null = null;
  parts.defer(async () => void (await (await started)?.stop()));
  const makeKey = async (unit: Unit, credit: string): Promise<StageKey> => {
    const nano = parseCredits(credit) ?? 0n;
    const budget = (nano * TOKENS_PER_CREDIT) / 1_000_000_000n;
    return makeStageKey(cluster.url(), unit === "credit" ? { credit: nano } : { budget });
  };
  const { secret } = await makeKey("credit", "1000");
  const neighbour = parts.adopt(await startNeighbour({ url: gateway.url, secret, model: NEIGHBOUR_MODEL }), (it) =>
    it.stop(),
  );
  await untilCalm(neighbour);
  const books = parts.adopt(new Pool({ connectionString: cluster.url(), max: 4 }), (it) => it.end());
  books.on("error", () => undefined);
  const database = createPostgres({
    url: cluster.url(),
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 20_000,
    onError: () => undefined,
  });
  parts.defer(() => database.close());
  let topUps = 0;
  const kept = parts.move();
  return {
    gateway,
    hasty,
    neighbour,
    small: () => (started ??= startServeProcess({ folder: smallFolder, environment: { ...environment, ...SMALL } })),
    makeKey,
    makePerson: (credit) => makePerson(database, parseCredits(credit) ?? 0n),
    topUp: async (keyId, credit) => {
      const sql = "select fund_v1(counter, $2, 'purchase', $3, 'attack') from balance where key_id = $1";
      await books.query(sql, [keyId, `top-up ${(topUps += 1)}`, String(parseCredits(credit))]);
    },
    account: (keyId) => readAccount(books, keyId),
    calls: provider.calls,
    admin: async (method, path, body) => {
      const response = await fetch(`${gateway.adminUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
    },
    close: () => kept.disposeAsync(),
  };
}

const CALM_MS = 250;
const WARM_UP_MS = 30_000;

/** A process that has just started is slow for its first callers. */
async function untilCalm(neighbour: Neighbour): Promise<void> {
  for (const untilMs = Date.now() + WARM_UP_MS; Date.now() < untilMs;) {
    const fromMs = Date.now();
    await sleep(1_000);
    const { p99Ms, refused } = await neighbour.during(fromMs, Date.now());
    if (p99Ms < CALM_MS && refused === 0) return;
  }
}

/** Small enough to be reached within an attempt; what an operator sets is a figure of the same kind. */
export const WRITE_OFF_CAP = "0.02";
export const WRITE_OFF_CAP_TOKENS = 20_000;

function catalogueOf(providerUrl: string, calmUrl: string, models: readonly StageModel[]): object {
  const credential = "env:ATTACK_PROVIDER_KEY";
  const providerOf = (id: string): string => (id === NEIGHBOUR_MODEL ? "calm" : "habits");
  return {
    providers: [
      { name: "habits", base_url: `${providerUrl}/v1`, credential },
      { name: "calm", base_url: `${calmUrl}/v1`, credential },
    ],
    models: models.map((model) => ({
      id: model.id,
      provider: providerOf(model.id),
      context_window: model.contextWindow,
      max_output_tokens: model.maxOutputTokens,
      capabilities: model.capabilities,
      price: PRICE,
      routes: model.dialects.map((dialect) => ({
        provider: providerOf(model.id),
        upstream_model: model.id,
        format: dialect,
        conformant: model.conformant,
      })),
    })),
  };
}

async function startProvider() {
  const child = fork(join(import.meta.dirname, "provider/main.ts"), { silent: true });
  child.stderr?.pipe(process.stderr);
  if (child.stdout === null) throw new Error("the provider has no output");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    learn: async (habits: Record<string, Partial<Habit>>): Promise<void> => {
      await (await fetch(`${url}/habits`, { method: "POST", body: JSON.stringify(habits) })).text();
    },
    calls: async (model: string): Promise<ProviderCall[]> =>
      (await (await fetch(`${url}/calls?model=${encodeURIComponent(model)}`)).json()) as ProviderCall[],
    stop: async (): Promise<void> => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}
