import { Gauge, Registry } from "@prometheus-io/client";
import { WORKER_GAUGES } from "./metric-table.ts";
import type { Exposition, MetricSnapshot } from "./metrics.ts";

/** The metrics of several workers as if they were one process. */
export type WorkerTotals = {
  /** What a worker counted so far. Ids are never used twice: a replacement has one of its own. */
  note: (workerId: string, snapshot: MetricSnapshot) => void;
  /** Its counters stay in the sum, so that none goes back when a worker is replaced. */
  ended: (workerId: string) => void;
  /** `answered`: whose word is fresh. Of the others the last counters count, and no gauge. */
  expose: (state: { workers: number; answered: readonly string[] }) => Promise<Exposition>;
};

export function createWorkerTotals(): WorkerTotals {
  const latest = new Map<string, MetricSnapshot>();
  const gone = new Set<string>();
  const folded = new Set<string>();
  /** The sum of those that have ended. */
  let past: MetricSnapshot = [];

  /** Not as soon as one ends: its last word may be under way. */
  function foldPast(): void {
    for (const id of gone) {
      // Of a sum the library knows the values at once, though its type does not say so.
      past = Registry.aggregate([past, lasting(latest.get(id) ?? [])]).getMetricsAsArray() as MetricSnapshot;
      latest.delete(id);
      folded.add(id);
    }
    gone.clear();
  }

  return {
    note: (workerId, snapshot) => {
      if (!folded.has(workerId)) latest.set(workerId, snapshot);
    },
    ended: (workerId) => void gone.add(workerId),
    expose: async ({ workers, answered }) => {
      foldPast();
      const fresh = new Set(answered);
      const snapshots = [...latest].map(([id, snapshot]) =>
        fresh.has(id) ? snapshot.filter(({ type }) => type !== "summary") : lasting(snapshot),
      );
      const total = Registry.aggregate([...snapshots, past]);
      for (const [row, value] of [
        [WORKER_GAUGES.workers, workers],
        [WORKER_GAUGES.workersAnswered, fresh.size],
      ] as const) {
        new Gauge({ name: row.name, help: row.help, registers: [total] }).set(value);
      }
      return { contentType: total.contentType, text: await total.metrics() };
    },
  };
}

/** What only grows. A gauge is true of the moment it was read, and quantiles cannot be added. */
const lasting = (snapshot: MetricSnapshot): MetricSnapshot =>
  snapshot.filter(({ type }) => type === "counter" || type === "histogram");
