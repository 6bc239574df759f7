import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "../support/free-port.ts";
import { type Installed, installOnce, runInstaller } from "../support/install-once.ts";
import { installPythonPackages } from "../support/python-environment.ts";
import { createGarbageMeter, measuredNode } from "./garbage-meter.ts";
import type { PeerChoice } from "./options.ts";
import type { Processes, StartOptions } from "./processes.ts";
import { probe } from "./probe.ts";
import { type Models, PROVIDER_CREDENTIAL, type Subject, UPSTREAM_MODELS } from "./subject.ts";
import { waitUntil } from "./wait-for-log.ts";

type Place = { folder: string; port: number; providerUrl: string; scratchFolder: string; garbageFile: string };

/** A gateway of others that is put into a cache folder and started from there. */
type Recipe = {
  install: () => Promise<Installed>;
  start: (place: Place) => Pick<StartOptions, "program" | "words" | "env">;
  headers: (providerUrl: string) => Record<string, string>;
  credential: string;
  models: Models;
  runsOn: "node" | "something else";
};

const INSTALL_TIMEOUT_MS = 400_000;
const READY_LIMIT_MS = 120_000;
/** Required at its start, so it is on; nothing is stored, as there is no database. */
const LITELLM_MASTER_KEY = "sk-bench-0123456789abcdef0123456789abcdef";
const VERSIONS = { portkey: "1.15.2", litellm: "1.106.2" };
const LITELLM_MODELS: Models = { plain: "bench-plain", stream: "bench-stream", idle: "bench-idle" };

const RECIPES: Record<keyof typeof VERSIONS, Recipe> = {
  portkey: {
    install: installPortkey,
    start: ({ folder, port, garbageFile }) => {
      const node = measuredNode(garbageFile);
      const loopback = pathToFileURL(join(import.meta.dirname, "loopback-preload.ts")).href;
      const entry = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
      return {
        words: [...node.words, "--import", loopback, entry, `--port=${port}`, "--headless"],
        env: { NODE_ENV: "production", ...node.env },
      };
    },
    headers: (providerUrl) => ({ "x-portkey-provider": "openai", "x-portkey-custom-host": `${providerUrl}/v1` }),
    credential: PROVIDER_CREDENTIAL,
    models: UPSTREAM_MODELS,
    runsOn: "node",
  },
  litellm: {
    install: () => installPythonPackages("litellm", { "litellm[proxy]": VERSIONS.litellm }),
    start: ({ folder, port, providerUrl, scratchFolder }) => {
      const config = join(scratchFolder, "litellm.json");
      writeFileSync(config, JSON.stringify(litellmConfig(providerUrl)));
      const words = ["--config", config, "--host", "127.0.0.1", "--port", String(port), "--num_workers", "1"];
      return {
        program: "python3",
        words: ["-c", "from litellm import run_server; run_server()", ...words],
        env: {
          PYTHONPATH: folder,
          LITELLM_LOCAL_MODEL_COST_MAP: "True",
          LITELLM_LOG: "ERROR",
          LITELLM_MASTER_KEY,
          LITELLM_MODE: "PRODUCTION",
        },
      };
    },
    headers: () => ({}),
    credential: LITELLM_MASTER_KEY,
    models: LITELLM_MODELS,
    runsOn: "something else",
  },
};

/** With a later version of its server, Portkey answers every stream with 500: it changes headers that must not be changed. */
function installPortkey(): Promise<Installed> {
  const contents = {
    private: true,
    dependencies: { "@portkey-ai/gateway": VERSIONS.portkey },
    overrides: { "@hono/node-server": "1.14.1" },
  };
  const words = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"] as const;
  return installOnce({
    name: "portkey",
    contents,
    install: (cwd) => {
      writeFileSync(join(cwd, "package.json"), JSON.stringify(contents));
      return runInstaller({ words, cwd, timeoutMs: INSTALL_TIMEOUT_MS });
    },
  });
}

/** YAML takes JSON. */
function litellmConfig(providerUrl: string): object {
  return {
    model_list: (["plain", "stream", "idle"] as const).map((kind) => ({
      model_name: LITELLM_MODELS[kind],
      litellm_params: {
        model: `openai/${UPSTREAM_MODELS[kind]}`,
        api_base: `${providerUrl}/v1`,
        api_key: PROVIDER_CREDENTIAL,
      },
    })),
    litellm_settings: { num_retries: 0, telemetry: false },
  };
}

export type Peer = { name: string; start: () => Promise<Subject> };
export type PeerInput = { processes: Processes; providerUrl: string; scratchFolder: string };

/** Installs a peer; throws with the reason when that is not possible. */
export async function preparePeer(
  { name, command }: PeerChoice,
  { processes, providerUrl, scratchFolder }: PeerInput,
): Promise<Peer> {
  const recipe = command === null ? recipeOf(name) : fromCommand(command);
  if (recipe === null) {
    const known = Object.keys(RECIPES).join(", ");
    throw new Error(`${name} is not one of ${known}, and no command was given (--against ${name}=COMMAND)`);
  }
  const installed = await recipe.install();
  if (installed.missing !== null) throw new Error(`${name} cannot be installed: ${installed.missing}`);
  const start = async (): Promise<Subject> => {
    const place = mkdtempSync(join(scratchFolder, `${name}-`));
    const port = await freePort();
    const garbageFile = join(place, "garbage");
    const logFile = join(place, "log");
    const { env, ...how } = recipe.start({
      folder: installed.folder,
      port,
      providerUrl,
      scratchFolder: place,
      garbageFile,
    });
    const environment = { PATH: process.env["PATH"] ?? "", HOME: place, ...env };
    const started = processes.start({ ...how, role: "proxy", cwd: place, logFile, env: environment });
    const origin = `http://127.0.0.1:${port}`;
    await waitUntil({ name, process: started, logFile, limitMs: READY_LIMIT_MS }, async () =>
      (await answers(origin)) ? origin : null,
    );
    const garbage = recipe.runsOn === "node" ? createGarbageMeter(garbageFile) : null;
    const { models, credential } = recipe;
    const headers = recipe.headers(providerUrl);
    const peer = { name, origin, credential, headers, models, process: started, databasePid: null, garbage };
    for (const kind of ["plain", "stream"] as const) await probe(peer, { dialect: "chat", kind });
    return peer;
  };
  return { name, start };
}

const recipeOf = (name: string): Recipe | null =>
  Object.entries(RECIPES).find(([known]) => known === name)?.[1] ?? null;

/** Whatever a shell can start. It is told where to listen and where the provider is, and passes the model's name on. */
function fromCommand(command: string): Recipe {
  return {
    install: async () => ({ folder: "", missing: null }),
    start: ({ port, providerUrl }) => ({
      program: "sh",
      words: ["-c", `exec ${command}`],
      env: { PORT: String(port), PROVIDER_URL: providerUrl, PROVIDER_KEY: PROVIDER_CREDENTIAL },
    }),
    headers: () => ({}),
    credential: PROVIDER_CREDENTIAL,
    models: UPSTREAM_MODELS,
    runsOn: "something else",
  };
}

async function answers(origin: string): Promise<boolean> {
  try {
    await fetch(origin, { signal: AbortSignal.timeout(2_000) });
    return true;
  } catch {
    return false;
  }
}
