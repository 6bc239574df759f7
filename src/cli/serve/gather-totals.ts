import type { Exposition } from "../../telemetry/metrics/metrics.ts";
import { createWorkerTotals } from "../../telemetry/metrics/worker-totals.ts";
import type { ParentMessage, WorkerMessage } from "./worker-messages.ts";

/** A worker as far as it can be asked. */
export type AskedWorker = { id: string; send: (message: ParentMessage) => void };

/** The parent's part in the metrics of all workers. */
export type TotalsGatherer = {
  heard: (worker: AskedWorker, message: Exclude<WorkerMessage, string>) => void;
  ended: (workerId: string) => void;
};

type Parts = {
  /** How many there should be. */
  workers: number;
  /** Those that take requests now. */
  serving: () => readonly AskedWorker[];
  /** How long the slowest of them is waited for. */
  waitMs: number;
};

type Round = { number: number; missing: Set<string>; answered: string[]; done: () => void };

export function createTotalsGatherer({ workers, serving, waitMs }: Parts): TotalsGatherer {
  const totals = createWorkerTotals();
  let round: Round | null = null;
  let rounds = 0;
  let gathering: Promise<Exposition> | null = null;

  async function gather(): Promise<Exposition> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked = serving();
    const current = { number: ++rounds, missing: new Set(asked.map(({ id }) => id)), answered: [], done: resolve };
    round = current;
    for (const worker of asked) worker.send({ ask: "metrics", round: current.number });
    const timer = setTimeout(resolve, waitMs);
    if (asked.length > 0) await promise;
    clearTimeout(timer);
    round = null;
    return totals.expose({ workers, answered: current.answered });
  }

  /** Those who ask at the same time share one answer. */
  function gatherOnce(): Promise<Exposition> {
    gathering ??= gather().finally(() => (gathering = null));
    return gathering;
  }

  function leaves(workerId: string): void {
    if (round?.missing.delete(workerId) && round.missing.size === 0) round.done();
  }

  return {
    heard: (worker, message) => {
      if ("want" in message) {
        // Should it fail, the worker that asked gets no answer, and says so to whoever scrapes it.
        gatherOnce()
          .then((total) => worker.send({ totals: total, wish: message.wish }))
          .catch(() => undefined);
        return;
      }
      totals.note(worker.id, message.metrics);
      if (round === null || message.round !== round.number) return;
      round.answered.push(worker.id);
      leaves(worker.id);
    },
    ended: (workerId) => {
      totals.ended(workerId);
      leaves(workerId);
    },
  };
}
