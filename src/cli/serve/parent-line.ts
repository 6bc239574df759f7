import cluster from "node:cluster";
import { Fault } from "../../core/fault.ts";
import type { Exposition, Metrics } from "../../telemetry/metrics/metrics.ts";
import { createWorkerTotals } from "../../telemetry/metrics/worker-totals.ts";
import type { ParentMessage, WorkerMessage } from "./worker-messages.ts";

/** Longer than the parent waits for a worker that hangs. */
const PARENT_ANSWERS_MS = 5_000;

/** What a gateway process has to do with a parent, whether or not it has one. */
export type ParentLine = {
  /** The metrics of all workers, summed; of this process where it is alone. */
  exposeTotals: () => Promise<Exposition>;
  /** Says that this worker takes requests. */
  sayServing: () => void;
  /** Leaves the last counts behind, and lets go of the channel, which is the last thing that keeps a worker alive. */
  leave: () => Promise<void>;
};

export const openParentLine = (metrics: Pick<Metrics, "snapshot">): ParentLine =>
  cluster.isWorker ? lineOf(metrics) : aloneWith(metrics);

function aloneWith(metrics: Pick<Metrics, "snapshot">): ParentLine {
  const self = "self";
  return {
    exposeTotals: async () => {
      const totals = createWorkerTotals();
      totals.note(self, await metrics.snapshot());
      return totals.expose({ workers: 1, answered: [self] });
    },
    sayServing: () => undefined,
    leave: () => Promise.resolve(),
  };
}

function lineOf(metrics: Pick<Metrics, "snapshot">): ParentLine {
  const wishes = new Map<number, (totals: Exposition) => void>();
  let lastWish = 0;
  process.on("message", (message: ParentMessage) => {
    if (message === "drain") return;
    if ("totals" in message) wishes.get(message.wish)?.(message.totals);
    else void metrics.snapshot().then((snapshot) => say({ metrics: snapshot, round: message.round }));
  });
  return {
    exposeTotals: async () => {
      const wish = ++lastWish;
      const { promise, resolve, reject } = Promise.withResolvers<Exposition>();
      wishes.set(wish, resolve);
      const timer = setTimeout(() => reject(parentSilent()), PARENT_ANSWERS_MS);
      void say({ want: "totals", wish });
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        wishes.delete(wish);
      }
    },
    sayServing: () => void say("serving"),
    leave: async () => {
      await say({ metrics: await metrics.snapshot(), round: null });
      // So that it is not taken for the end of the parent.
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
      if (process.connected) process.disconnect?.();
    },
  };
}

/** Resolves when the message has left. A parent that is gone hears nothing, and that is no failure. */
function say(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected || !cluster.worker) return resolve();
    cluster.worker.send(message, () => resolve());
  });
}

const parentSilent = (): Fault =>
  new Fault(
    "service_unavailable",
    `The parent process did not respond within ${PARENT_ANSWERS_MS / 1_000} s. Read /metrics of each worker instead.`,
    { retryAfterSeconds: 5 },
  );
