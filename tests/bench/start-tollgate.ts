import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Cluster, startCluster } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { writeCatalogue } from "../support/write-catalogue.ts";
import { type BenchDialect, CALLER_DIALECTS, dialectOf } from "./dialects.ts";
import { createGarbageMeter, measuredNode } from "./garbage-meter.ts";
import { nodeFlagsOf } from "./node-flags.ts";
import type { Processes } from "./processes.ts";
import { type Models, PROVIDER_CREDENTIAL, type Subject, UPSTREAM_MODELS } from "./subject.ts";
import { waitUntil } from "./wait-for-log.ts";

export type TollgateStart = {
  /** What it is called in the tables. */
  name: string;
  processes: Processes;
  mainFile: string;
  /** The formats of providers that its catalogue can name; an earlier version may know fewer. */
  dialects: readonly BenchDialect[];
  providerUrl: string;
  /** Its settings and its log go into a folder of their own below this one. */
  scratchFolder: string;
  profileFolder: string | null;
  /** Flags of Node; those of the checkout unless told. */
  flags?: readonly string[] | null;
  /** Whether it notes what may have delayed a request. */
  tail?: "noted" | "no";
  /** Whether there is also a key below a team of an organisation. */
  chain?: "yes" | "no";
  /** A PostgreSQL to use; one of its own unless told. */
  databaseUrl?: string;
  /** Further settings, by the names of their variables. */
  settings?: Readonly<Record<string, string>>;
};

/** A database that is ready to serve from, and starts Tollgate on it as often as wanted. */
export type TollgateGround = {
  databaseUrl: string;
  adminToken: string;
  start: () => Promise<Subject>;
  close: () => Promise<void>;
};

const READY_LIMIT_MS = 60_000;
const PLENTY = "1000000";
const ADMIN_TOKEN = "bench-admin-token-0123456789";
const TAIL_PRELOAD = join(import.meta.dirname, "tail-preload.ts");
const LISTENING = /"listener":"public","url":"([^"]+)"/;
const ADMIN_LISTENING = /"listener":"admin","url":"([^"]+)"/;

/** Published for this bench; each leads to the simulator's model of the same purpose, on a conformant route. */
const MODELS: Models = { plain: "sim-bench-plain", stream: "sim-bench-stream", idle: "sim-bench-idle" };

/** The built JavaScript of a checkout when there is one: it is what users run. One that is older than its source is not measured. */
export function mainFileOf(root: string): string {
  const built = join(root, "dist/main.js");
  if (!existsSync(built)) return resolve(root, "src/main.ts");
  const builtAtMs = statSync(built).mtimeMs;
  const newer = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).find(
    (name) =>
      name.endsWith(".ts") && !name.endsWith(".test.ts") && statSync(join(root, "src", name)).mtimeMs > builtAtMs,
  );
  if (newer !== undefined)
    throw new Error(`${built} is older than src/${newer}. Run \`npm run build\`, or name an entry file with --main.`);
  return resolve(built);
}

/**
 * Tollgate as it is run in earnest: `serve` on a PostgreSQL that waits for its disk, with money in the path of every request.
 * The server inherits the bench's own core, which is the one of the load: the gateway's core belongs to the gateway.
 */
export async function prepareTollgate(start: TollgateStart): Promise<TollgateGround> {
  const folder = mkdtempSync(join(start.scratchFolder, `${start.name}-`));
  const cluster =
    start.databaseUrl === undefined
      ? await startCluster({ settings: { max_wal_size: "4GB", shared_buffers: "256MB" } })
      : null;
  const databaseUrl = start.databaseUrl ?? cluster?.superuserUrl ?? "";
  const env = {
    PATH: process.env["PATH"] ?? "",
    DATABASE_URL: databaseUrl,
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    // All load comes from one key, which may otherwise have a quarter of the requests in progress.
    TOLLGATE_LIMITS_KEY_SHARE_PERCENT: "100",
    BENCH_PROVIDER_KEY: PROVIDER_CREDENTIAL,
    ...start.settings,
  };
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env, main: start.mainFile });
    if (code !== 0) throw new Error(`${start.name}: tollgate ${words.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  const catalogueFile = join(folder, "catalogue.json");
  await writeCatalogue(catalogueFile, catalogue(start), start.mainFile);
  await run("migrate");
  await run("catalogue", "apply", catalogueFile);
  const { secret } = await newKey(run, "--credit", PLENTY);
  const chainSecret = start.chain === "yes" ? await chainedKey(run) : undefined;
  return {
    databaseUrl,
    adminToken: ADMIN_TOKEN,
    start: () => startServing(start, { folder, env, secret, chainSecret, cluster }),
    close: async () => cluster?.close(),
  };
}

type Run = (...words: string[]) => Promise<string>;

type NewKey = { key: { id: string }; secret: string };

async function newKey(run: Run, ...words: string[]): Promise<NewKey> {
  return JSON.parse(await run("keys", "create", "--mode", "credit", ...words, "--json")) as NewKey;
}

/** The organisation pays, the team and the key have a limit each: every request is charged to three counters. */
async function chainedKey(run: Run): Promise<string> {
  await run("accounts", "create", "Bench", "--kind", "organisation");
  await run("accounts", "create", "Bench/Team", "--kind", "team");
  await run("accounts", "topup", "Bench", PLENTY);
  await run("accounts", "limit", "Bench/Team", PLENTY);
  const { key, secret } = await newKey(run, "--account", "Bench/Team");
  await run("keys", "limit", key.id, PLENTY);
  return secret;
}

type Ground = {
  folder: string;
  env: Record<string, string>;
  secret: string;
  chainSecret: string | undefined;
  cluster: Cluster | null;
};

async function startServing(start: TollgateStart, ground: Ground): Promise<Subject> {
  const { folder, env, secret, chainSecret, cluster } = ground;
  const file = join(folder, `serve-${performance.now().toFixed(0)}`);
  const logFile = `${file}.log`;
  const node = measuredNode(`${file}.garbage`);
  const noting = start.tail === "noted";
  const tailFile = `${file}.tail`;
  const tail = noting ? ["--import", pathToFileURL(TAIL_PRELOAD).href] : [];
  const profile: string[] = [];
  if (start.profileFolder !== null) {
    mkdirSync(start.profileFolder, { recursive: true });
    profile.push("--cpu-prof", `--cpu-prof-dir=${resolve(start.profileFolder)}`);
  }
  const started = start.processes.start({
    words: [
      ...(start.flags ?? nodeFlagsOf(start.mainFile)),
      ...profile,
      ...node.words,
      ...tail,
      start.mainFile,
      "serve",
    ],
    role: "proxy",
    cwd: folder,
    env: { ...env, ...node.env, ...(noting ? { BENCH_TAIL_FILE: tailFile } : {}) },
    logFile,
  });
  const waiting = { name: start.name, process: started, logFile, limitMs: READY_LIMIT_MS };
  return {
    name: start.name,
    origin: await waitUntil(waiting, (log) => LISTENING.exec(log)?.[1] ?? null),
    adminOrigin: await waitUntil(waiting, (log) => ADMIN_LISTENING.exec(log)?.[1] ?? null),
    credential: secret,
    ...(chainSecret === undefined ? {} : { chainCredential: chainSecret }),
    headers: {},
    models: MODELS,
    process: started,
    databasePid: cluster?.pid() ?? null,
    ...(noting ? { databaseUrl: env["DATABASE_URL"] ?? "", tailFile } : {}),
    garbage: createGarbageMeter(`${file}.garbage`),
  };
}

/** A model whose provider speaks this format alone, so that callers of the others are translated for. */
export const modelOnly = (provider: BenchDialect): string => `sim-bench-only-${provider}`;

function catalogue({ providerUrl, dialects }: TollgateStart): object {
  const providerOf = (dialect: BenchDialect): string => `simulator-${dialect}`;
  const model = (id: string, upstreamModel: string, spoken: readonly BenchDialect[] = CALLER_DIALECTS): object => ({
    id,
    provider: "simulator",
    max_output_tokens: 16_384,
    price: { input: "1", output: "4" },
    routes: spoken.map((dialect) => ({
      provider: providerOf(dialect),
      upstream_model: upstreamModel,
      format: dialect,
      conformant: true,
    })),
  });
  const { plain, stream, idle } = UPSTREAM_MODELS;
  return {
    providers: dialects.map((dialect) => ({
      name: providerOf(dialect),
      base_url: `${providerUrl}${dialectOf(dialect).base}`,
      credential: "env:BENCH_PROVIDER_KEY",
    })),
    models: [
      model(MODELS.plain, plain),
      model(MODELS.stream, stream),
      model(MODELS.idle, idle),
      ...dialects.map((dialect) => model(modelOnly(dialect), stream, [dialect])),
    ],
  };
}
