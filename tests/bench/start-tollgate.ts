import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Cluster, startCluster } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import type { Processes, Started } from "./processes.ts";
import { type BenchDialect, DIALECTS } from "./dialects.ts";
import { type Subject, UPSTREAM_MODELS } from "./subject.ts";

export type TollgateStart = {
  processes: Processes;
  mainFile: string;
  providerUrl: string;
  /** Its settings and its log go into a folder of their own below this one. */
  scratchFolder: string;
  profileFolder: string | null;
};

/** A database that is ready to serve from, and starts Tollgate on it as often as wanted. */
export type TollgateGround = { start: () => Promise<Subject>; close: () => Promise<void> };

const READY_LIMIT_MS = 60_000;
const READY_CHECK_MS = 50;
const LOG_TAIL_CHARACTERS = 2_000;
const PLENTY = "1000000";
const LISTENING = /"listener":"public","url":"([^"]+)"/;

/** Published for this bench; each leads to the simulator's model of the same purpose, on a conformant route. */
const MODELS: Subject["models"] = { plain: "sim-bench-plain", stream: "sim-bench-stream", idle: "sim-bench-idle" };

/** The built JavaScript when there is one: it is what users run. */
export function tollgateMainFile(given: string | null): string {
  if (given !== null) return resolve(given);
  const root = join(import.meta.dirname, "../..");
  const built = join(root, "dist/main.js");
  return existsSync(built) ? built : join(root, "src/main.ts");
}

/**
 * Tollgate as it is run in earnest: `serve` on a PostgreSQL that waits for its disk, with money in the path of every request.
 * The server inherits the bench's own core, which is the one of the load: the proxy's core belongs to the proxy.
 */
export async function prepareTollgate(start: TollgateStart): Promise<TollgateGround> {
  const folder = mkdtempSync(join(start.scratchFolder, "tollgate-"));
  const cluster = await startCluster({ settings: { max_wal_size: "4GB", shared_buffers: "256MB" } });
  const env = {
    PATH: process.env["PATH"] ?? "",
    DATABASE_URL: cluster.superuserUrl,
    TOLLGATE_ADMIN_TOKEN: "bench-admin-token-0123456789",
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    BENCH_PROVIDER_KEY: "bench",
  };
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env });
    if (code !== 0) throw new Error(`tollgate ${words.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  const catalogueFile = join(folder, "catalogue.json");
  writeFileSync(catalogueFile, JSON.stringify(catalogue(start.providerUrl)));
  await run("migrate");
  await run("catalogue", "apply", catalogueFile);
  const made = await run("keys", "create", "--mode", "credit", "--credit", PLENTY, "--json");
  const { secret } = JSON.parse(made) as { secret: string };
  return {
    start: () => startServing(start, { folder, env, secret, cluster }),
    close: () => cluster.close(),
  };
}

type Ground = { folder: string; env: Record<string, string>; secret: string; cluster: Cluster };

async function startServing(start: TollgateStart, { folder, env, secret, cluster }: Ground): Promise<Subject> {
  const logFile = join(folder, `serve-${performance.now().toFixed(0)}.log`);
  const profile: string[] = [];
  if (start.profileFolder !== null) {
    mkdirSync(start.profileFolder, { recursive: true });
    profile.push("--cpu-prof", `--cpu-prof-dir=${resolve(start.profileFolder)}`);
  }
  const process = start.processes.start({
    words: [...profile, start.mainFile, "serve"],
    role: "proxy",
    cwd: folder,
    env,
    logFile,
  });
  return {
    name: "tollgate",
    origin: await waitUntilReady(process, logFile),
    credential: secret,
    models: MODELS,
    process,
    databasePid: cluster.pid(),
  };
}

/** A model whose provider speaks this format alone, so that callers of the others are translated for. */
export const modelOnly = (provider: BenchDialect): string => `sim-bench-only-${provider}`;

function catalogue(providerUrl: string): object {
  const all = Object.keys(DIALECTS) as BenchDialect[];
  const model = (id: string, upstreamModel: string, dialects = all): object => ({
    id,
    provider: "simulator",
    max_output_tokens: 16_384,
    price: { input: "1", output: "4" },
    routes: dialects.map((dialect) => ({
      provider: "simulator",
      upstream_model: upstreamModel,
      dialect,
      conformant: true,
    })),
  });
  const { plain, stream, idle } = UPSTREAM_MODELS;
  return {
    providers: [{ name: "simulator", base_url: `${providerUrl}/v1`, credential: "env:BENCH_PROVIDER_KEY" }],
    models: [
      model(MODELS.plain, plain),
      model(MODELS.stream, stream),
      model(MODELS.idle, idle),
      ...all.map((dialect) => model(modelOnly(dialect), stream, [dialect])),
    ],
  };
}

async function waitUntilReady(process: Started, logFile: string): Promise<string> {
  const startedMs = performance.now();
  const state = { running: true };
  void process.ended.then(() => {
    state.running = false;
  });
  while (state.running && performance.now() - startedMs < READY_LIMIT_MS) {
    const url = LISTENING.exec(readFileSync(logFile, "utf8"))?.[1];
    if (url !== undefined) return url;
    await pause(READY_CHECK_MS);
  }
  const log = readFileSync(logFile, "utf8").slice(-LOG_TAIL_CHARACTERS);
  throw new Error(
    `Tollgate ${state.running ? "was not ready in time" : "ended before it was ready"}. Its log ends with:\n${log}`,
  );
}
