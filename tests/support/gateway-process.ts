import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDevHome } from "./dev-template.ts";
import { type Dialect, providerDialect, type Spoken, translates } from "./provider-dialect.ts";
import { requestLog } from "./request-log.ts";
import { MAIN, type Ran, runTollgate } from "./run-tollgate.ts";
import { sharedFolder } from "./recordings.ts";
import { type Stretches, watchStretches } from "./stretch/stretches.ts";
import type { WitnessedCall } from "./simulator-process.ts";
import { childEnvironment } from "./child-environment.ts";
import { countProcessor, waitingFor } from "./time-spent.ts";
import { startProgram } from "./warm-process.ts";

/** A model as a test describes it: what the simulated provider is asked for, and how its route is declared. */
export type TestModel = {
  upstream: string;
  conformant?: boolean;
  /** The format of its callers, and on straight routes of its provider. */
  dialect?: Dialect | "embeddings";
  /** What its provider speaks, whatever the course of the run. */
  spoken?: Spoken;
  /** How long the provider may take to begin. */
  firstByteTimeoutMs?: number;
  /** How long the provider may be silent within a response. */
  idleTimeoutMs?: number;
  /** Null: none is published. */
  maxOutputTokens?: number | null;
  outputCeiling?: number;
  /** 128,000 unless told. */
  contextWindow?: number;
  capabilities?: Record<string, unknown>;
  provider?: string;
  /** Of the simulator's route. */
  priority?: number;
  /** Which of the providers beside the simulator its route goes to instead. */
  at?: string;
  /** Where the simulator's route says that it runs. */
  region?: string;
  /** Further routes, in the words of the catalogue file. */
  moreRoutes?: Record<string, unknown>[];
  /** In the words of the catalogue file; null: none. */
  price?: Record<string, unknown> | null;
};

export type GatewayOptions = {
  models?: Record<string, TestModel>;
  /** Providers beside the simulator, in the words of the catalogue file. */
  providers?: { name: string; base_url: string; credential: string; platform?: string }[];
  /** Settings, as environment variables. */
  settings?: Record<string, string>;
  /** Whether to write down what keeps its main thread busy; the simulated provider is at work in the same thread. */
  stretch?: boolean;
};

export type GatewayProcess = {
  publicUrl: string;
  adminUrl: string;
  adminToken: string;
  simulatorUrl: string;
  keys: { credit: string; token_budget: string };
  pid: number;
  folder: string;
  /** Runs a command as a second terminal in the same folder would. */
  tollgate: (...args: string[]) => Promise<Ran>;
  witness: () => Promise<WitnessedCall[]>;
  release: () => Promise<void>;
  metrics: () => Promise<string>;
  /** What kept its main thread busy, with `stretch`. */
  stretches: Stretches;
  /** Asks it to end and waits for it: its exit code. */
  stop: () => Promise<number | null>;
};

const READY_TIMEOUT_MS = 600_000;

/** Where every gateway of a test run leaves what it wrote, and which secrets must not be in it. See `secret-canary.ts`. */
export const outputFolder = (): string => process.env["TEST_OUTPUT"] ?? join(tmpdir(), "tollgate-test-output");

/** A whole gateway as its own process, with its database and its simulated provider. */
export const startGatewayProcess = (options: GatewayOptions = {}): Promise<GatewayProcess> =>
  waitingFor("gateway", () => startGateway(options));

async function startGateway({
  models = {},
  providers = [],
  settings = {},
  stretch = false,
}: GatewayOptions): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  const database = await openDevHome(folder);
  const readyFile = join(folder, "ready.json");
  const catalogueFile = join(folder, "catalogue.json");
  writeFileSync(catalogueFile, JSON.stringify({ providers, ...catalogueOf(models) }));
  const shared = sharedFolder();
  const recordings = shared === null ? [] : ["--recordings", join(shared, "recordings")];
  const own = ["--database", database.url, "--catalogue", catalogueFile];
  const args = ["dev", "--port", "0", "--ready-file", readyFile, ...own, ...recordings];
  const env = { ...childEnvironment(), HOME: folder, ...settings };
  const stretches = watchStretches(folder);
  const childEnv = stretch ? { ...env, ...stretches.environment } : env;
  const child = await startProgram({ words: args, main: MAIN, cwd: folder, env: childEnv });

  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!existsSync(readyFile)) {
    if (child.hasEnded() || Date.now() > deadline) throw new Error(`not ready: ${child.stderr()}`);
    await sleep(20);
  }
  const ready = JSON.parse(readFileSync(readyFile, "utf8")) as Omit<GatewayProcess, "pid">;
  countProcessor("gateway", child.processorMs());
  if (stretch) stretches.take();
  rememberSecrets([ready.adminToken, ready.keys.credit, ready.keys.token_budget]);
  const get = async (url: string, headers = {}): Promise<string> => (await fetch(url, { headers })).text();
  const metrics = (): Promise<string> =>
    get(`${ready.adminUrl}/metrics`, { authorization: `Bearer ${ready.adminToken}` });

  return {
    ...ready,
    pid: child.pid,
    folder,
    tollgate: (...words) => runTollgate(words, { cwd: folder, env }),
    witness: async () => jsonLines(await get(`${ready.simulatorUrl}/sim/witness`)),
    release: async () => {
      await (await fetch(`${ready.simulatorUrl}/sim/release`, { method: "POST" })).text();
    },
    metrics,
    stretches,
    stop: async () => {
      if (!child.hasEnded()) await keepOutput(`${basename(folder)}.metrics`, await metrics().catch(() => ""));
      const straight = translates() && !child.hasEnded() ? await straightRequests(ready, folder) : [];
      child.kill("SIGTERM");
      const code = await child.exited;
      await keepOutput(`${basename(folder)}.log`, readFileSync(join(folder, ".tollgate/tollgate.log"), "utf8"));
      await keepOutput(`${basename(folder)}.stderr`, child.stderr());
      rmSync(folder, { recursive: true, force: true });
      await database.close();
      if (straight.length > 0) throw new Error(`not translated in a run that is to be: ${straight.join(", ")}`);
      return code;
    },
  };
}

/** The requests that went to a provider of their own format, by the log and the routes of the gateway. */
async function straightRequests(
  { adminUrl, adminToken }: Pick<GatewayProcess, "adminUrl" | "adminToken">,
  folder: string,
): Promise<string[]> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const answer = await fetch(`${adminUrl}/admin/v1/health/routes`, { headers });
  const { data } = (await answer.json()) as { data: { route_id: string; format: string }[] };
  const formats = new Map(data.map(({ route_id: id, format }) => [id, format]));
  return requestLog({ folder })
    .filter(({ format }) => format !== undefined && format !== "embeddings")
    .filter(({ format, route_id: id }) => formats.get(id ?? "") === format)
    .map(({ format, model }) => `${format} ${model}`);
}

function catalogueOf(models: Record<string, TestModel>): object {
  return {
    models: Object.entries(models).map(([id, model]) => ({
      id,
      provider: model.provider ?? "simulator",
      context_window: model.contextWindow ?? 128_000,
      max_output_tokens: model.maxOutputTokens === undefined ? usualLimit(model) : model.maxOutputTokens,
      output_ceiling: model.outputCeiling ?? null,
      capabilities: model.capabilities ?? {},
      price: model.price === undefined ? usualPrice(model) : model.price,
      routes: [
        {
          provider: model.at ?? "simulator",
          upstream_model: model.upstream,
          format: model.spoken ?? formatOf(model.dialect ?? "chat"),
          first_byte_timeout_ms: model.firstByteTimeoutMs ?? 60_000,
          ...(model.idleTimeoutMs === undefined ? {} : { idle_timeout_ms: model.idleTimeoutMs }),
          conformant: model.conformant ?? true,
          priority: model.priority ?? 0,
          ...(model.region === undefined ? {} : { region: model.region }),
        },
        ...(model.moreRoutes ?? []),
      ],
    })),
  };
}

/** Embeddings are translated by nobody. */
const formatOf = (dialect: Dialect | "embeddings"): string =>
  dialect === "embeddings" ? dialect : providerDialect(dialect);
const usualLimit = ({ dialect }: TestModel): number | null => (dialect === "embeddings" ? null : 16_384);
const usualPrice = ({ dialect }: TestModel): Record<string, unknown> =>
  dialect === "embeddings" ? { input: "1" } : { input: "1", output: "4" };

export function rememberSecrets(secrets: readonly string[]): void {
  mkdirSync(outputFolder(), { recursive: true });
  appendFileSync(join(outputFolder(), "secrets.txt"), secrets.map((secret) => `${secret}\n`).join(""));
}

async function keepOutput(name: string, text: string): Promise<void> {
  mkdirSync(outputFolder(), { recursive: true });
  writeFileSync(join(outputFolder(), name), text);
}

function jsonLines<Row>(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}
