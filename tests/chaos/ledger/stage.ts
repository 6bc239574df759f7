import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberSecrets } from "../../support/gateway-process.ts";
import { type Cluster, startCluster } from "../../support/postgres.ts";
import { type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts";
import { MAIN, type Ran, runTollgate } from "../../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../../support/serve-process.ts";
import { startSimulatorProcess } from "../../support/simulator-process.ts";
import { until } from "../../support/until.ts";
import { ask, type Ask, type StageKey } from "./ask.ts";
import type { ClientEntry, Evidence } from "./evidence.ts";
import { createProviderWitness, type ProviderWitness } from "./provider-witness.ts";
import { startDeafServer } from "./deaf-server.ts";
import { readLedger, withClient } from "./read-ledger.ts";
import { stageCatalogue } from "./stage-catalogue.ts";
import { writeCatalogue } from "../../support/write-catalogue.ts";
import { makeStageKey, type Means } from "./stage-keys.ts";
import { bareEnvironment, childEnvironment } from "../../support/child-environment.ts";

/** A gateway and the proxy through which alone it reaches the database. */
export type Gateway = ServeProcess & { proxy: PostgresProxy };

/** An attempt as a scenario asks for it; the stage knows the rest. */
export type StageAsk = Omit<Ask, "url" | "marker"> & { gateway: { url: string }; marker?: string };

export type Stage = {
  /** The server that takes writes. */
  cluster: () => Cluster;
  /** Says that another server does so from now on. */
  moveTo: (cluster: Cluster) => void;
  /** Says which program commands and gateways are from now on. */
  useProgram: (main: string) => void;
  startGateway: () => Promise<Gateway>;
  /** Runs a command as an operator would. */
  tollgate: (...words: string[]) => Promise<Ran>;
  makeKey: (means: Means) => Promise<StageKey>;
  /** A marker nobody else has. */
  marker: () => string;
  /** Makes an attempt and keeps what was seen. */
  ask: (options: StageAsk) => Promise<ClientEntry>;
  clients: readonly ClientEntry[];
  witness: ProviderWitness;
  /** How long it took until nothing was held any more. */
  untilNothingHeld: (timeoutMs?: number) => Promise<number>;
  evidence: () => Promise<Evidence>;
  close: () => Promise<void>;
};

export type StageOptions = {
  /** Models of this scenario alone: their names and what the simulator does for them. */
  models?: Record<string, string>;
  /** Settings of the gateways, as environment variables. */
  settings?: Record<string, string>;
  /** Whether a gateway waits long for a slow database; for scenarios in which none is taken away. */
  patient?: boolean;
  cluster?: Cluster;
  /** Further hosts of the database, as `host:port`. */
  otherHosts?: readonly string[];
  /** The program to begin with, where it is that of another version. */
  main?: string;
};

const ADMIN_TOKEN = "an-admin-token-for-chaos";
const PROVIDER_KEY = "sk-provider-key-for-chaos-0123456789";
/** A lease of 15 s, a sweep every 5 s, and room for a busy machine. */
const REST_TIMEOUT_MS = 45_000;

/** One PostgreSQL, one simulated provider, and as many gateways as a scenario starts. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-chaos-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  let main = options.main ?? MAIN;
  let cluster = options.cluster ?? parts.adopt(await startCluster(), (it) => it.close());
  const simulator = parts.adopt(await startSimulatorProcess(), async (it) => void (await it.stop()));
  const environment = {
    ...(options.patient === true ? childEnvironment() : bareEnvironment()),
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    STAGE_PROVIDER_KEY: PROVIDER_KEY,
    ...options.settings,
  };
  rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY]);
  const deaf = parts.adopt(await startDeafServer(), (it) => it.close());
  const catalogue = stageCatalogue({
    simulatorUrl: simulator.url,
    deafUrl: deaf.url,
    extraModels: options.models ?? {},
  });
  await writeCatalogue(join(folder, "catalogue.json"), catalogue, main);
  const tollgate = (...words: string[]): Promise<Ran> =>
    runTollgate(words, { cwd: folder, main, env: { ...environment, DATABASE_URL: cluster.url() } });
  for (const words of [["migrate"], ["catalogue", "apply", "catalogue.json"]]) {
    const ran = await tollgate(...words);
    if (ran.code !== 0) throw new Error(`${words.join(" ")}: ${ran.stderr}`);
  }

  const gateways: Gateway[] = [];
  parts.defer(async () => {
    for (const gateway of gateways) gateway.signal("SIGKILL");
    await Promise.all(gateways.map(({ ended, proxy }) => ended.then(() => proxy.close())));
  });
  const clients: ClientEntry[] = [];
  const run = Math.random().toString(36).slice(2, 8).padEnd(6, "0");
  let markers = 0;
  const marker = (): string => `mk-${run}-${String((markers += 1)).padStart(7, "0")}`;
  const witness = await createProviderWitness(simulator);

  // Until here whatever throws takes down what had been started; from here on the caller does.
  const kept = parts.move();
  return {
    cluster: () => cluster,
    moveTo: (other) => {
      cluster = other;
    },
    useProgram: (other) => {
      main = other;
    },
    clients,
    witness,
    marker,
    startGateway: async () => {
      const proxy = await startPostgresProxy({ port: cluster.port });
      const hosts = [`127.0.0.1:${proxy.port}`, ...(options.otherHosts ?? [])].join(",");
      const url = `postgres://postgres@${hosts}/postgres`;
      const served = await startServeProcess({ folder, main, environment: { ...environment, DATABASE_URL: url } });
      const gateway = { ...served, proxy };
      gateways.push(gateway);
      return gateway;
    },
    tollgate,
    makeKey: (means) => makeStageKey(cluster.url(), means),
    ask: async ({ gateway, ...rest }) => {
      const entry = await ask({ marker: marker(), ...rest, url: gateway.url });
      clients.push(entry);
      return entry;
    },
    untilNothingHeld: async (timeoutMs = REST_TIMEOUT_MS) => {
      const startedMs = performance.now();
      await until(async () => (await heldNow(cluster.url())) === 0, "nothing is held", timeoutMs);
      return performance.now() - startedMs;
    },
    evidence: async () => {
      const calls = await witness.testimony();
      return { clients: [...clients], calls, ledger: await readLedger(cluster.url()) };
    },
    close: () => kept.disposeAsync(),
  };
}

/** Open holds; a database that is away has not been asked. */
function heldNow(url: string): Promise<number> {
  const sql = "select (select count(*) from hold)::int + (select count(*) from balance where held > 0)::int as held";
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ held: number }>(sql);
    return rows[0]?.held ?? 0;
  }).catch(() => -1);
}
