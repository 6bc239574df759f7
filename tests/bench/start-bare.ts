import { join } from "node:path";
import { createGarbageMeter, measuredNode } from "./garbage-meter.ts";
import type { Processes } from "./processes.ts";
import { BARE, DIRECT, PROVIDER_CREDENTIAL, type Subject, UPSTREAM_MODELS } from "./subject.ts";
import { waitUntil } from "./wait-for-log.ts";

const READY_LIMIT_MS = 30_000;
const LISTENING = /\{"url":"([^"]+)"\}/;

const PROVIDER_LIKE = {
  credential: PROVIDER_CREDENTIAL,
  headers: {},
  models: UPSTREAM_MODELS,
  databasePid: null,
};

/** The provider itself, without a gateway. */
export function directSubject(providerUrl: string): Subject {
  return { ...PROVIDER_LIKE, name: DIRECT, origin: providerUrl, process: null, garbage: null };
}

export type BareStart = { processes: Processes; providerUrl: string; scratchFolder: string };

export async function startBareProxy({ processes, providerUrl, scratchFolder }: BareStart): Promise<Subject> {
  const entry = join(import.meta.dirname, "bare-proxy.ts");
  const file = join(scratchFolder, `bare-${performance.now().toFixed(3)}`);
  const node = measuredNode(`${file}.garbage`);
  const started = processes.start({
    words: [...node.words, entry, providerUrl, "0"],
    role: "proxy",
    env: { PATH: process.env["PATH"] ?? "", ...node.env },
    logFile: `${file}.log`,
  });
  const waiting = { name: "the bare proxy", process: started, logFile: `${file}.log`, limitMs: READY_LIMIT_MS };
  const origin = await waitUntil(waiting, (log) => LISTENING.exec(log)?.[1] ?? null);
  return { ...PROVIDER_LIKE, name: BARE, origin, process: started, garbage: createGarbageMeter(`${file}.garbage`) };
}
