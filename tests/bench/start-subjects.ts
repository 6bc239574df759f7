import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Processes, Started } from "./processes.ts";
import { type Subject, UPSTREAM_MODELS } from "./subject.ts";

export type Provider = { url: string; pid: number };

/** The provider takes any credential. */
const CREDENTIAL = "bench";

export async function startProvider(processes: Processes): Promise<Provider> {
  const root = join(import.meta.dirname, "../..");
  const built = join(root, "dist/simulator/main.js");
  const entry = existsSync(built) ? built : join(root, "src/simulator/main.ts");
  const started = processes.start({ words: [entry, "--port", "0"], role: "load" });
  return { url: await urlOf(started), pid: started.pid };
}

/** The provider itself, as the zero line of every latency. */
export function directSubject(provider: Provider): Subject {
  return {
    name: "direct",
    origin: provider.url,
    credential: CREDENTIAL,
    models: UPSTREAM_MODELS,
    process: null,
    databasePid: null,
  };
}

export async function startBareProxy(processes: Processes, provider: Provider): Promise<Subject> {
  const entry = join(import.meta.dirname, "bare-proxy.ts");
  const process = processes.start({ words: [entry, provider.url, "0"], role: "proxy" });
  const origin = await urlOf(process);
  return { name: "bare", origin, credential: CREDENTIAL, models: UPSTREAM_MODELS, process, databasePid: null };
}

async function urlOf(started: Started): Promise<string> {
  return (JSON.parse(await started.firstLine) as { url: string }).url;
}
