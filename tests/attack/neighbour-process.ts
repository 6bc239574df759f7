import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Sample } from "./neighbour.ts";

/** What the neighbour saw of a stretch of time. */
export type Delays = { requests: number; refused: number; p50Ms: number; p99Ms: number; maxMs: number };

export type Neighbour = {
  /** Of requests begun between two instants; requests begun then and not yet answered are waited for. */
  during: (fromMs: number, toMs: number) => Promise<Delays>;
  stop: () => Promise<void>;
};

export const PER_SECOND = 25;
const PATIENCE_MS = 60_000;

export async function startNeighbour(options: { url: string; secret: string; model: string }): Promise<Neighbour> {
  const { url, secret, model } = options;
  const child = fork(join(import.meta.dirname, "neighbour.ts"), [url, secret, model, String(PER_SECOND)]);
  const samples: Sample[] = [];
  child.on("message", (sample: Sample) => samples.push(sample));
  await once(child, "message");
  return {
    during: async (fromMs, toMs) => {
      const expected = Math.floor(((toMs - fromMs) / 1_000) * PER_SECOND) - 1;
      const begun = (): Sample[] => samples.filter(({ startedMs }) => startedMs >= fromMs && startedMs < toMs);
      for (const untilMs = Date.now() + PATIENCE_MS; begun().length < expected && Date.now() < untilMs;)
        await new Promise((resolve) => void setTimeout(resolve, 20));
      return delaysOf(begun());
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

export function delaysOf(samples: readonly Pick<Sample, "tookMs" | "status">[]): Delays {
  const sorted = samples.map(({ tookMs }) => tookMs).sort((left, right) => left - right);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    requests: samples.length,
    refused: samples.filter(({ status }) => status !== 200).length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: sorted.at(-1) ?? 0,
  };
}
