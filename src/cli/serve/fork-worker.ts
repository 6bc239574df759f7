import cluster, { type Worker } from "node:cluster";
import type { WorkerMessage } from "./worker-messages.ts";

export type WorkerEnd = { code: number | null; signal: string | null };

type ForkOptions = {
  adminPort: number;
  onServing: () => void;
  /** Called for everything it says, whatever that is. */
  onHeard: (worker: Worker) => void;
  onMessage: (worker: Worker, message: Exclude<WorkerMessage, string>) => void;
  /** Called exactly once. */
  onEnded: (end: WorkerEnd) => void;
};

/** This program with these arguments once more, as a process that shares the parent's listening socket. */
export function forkWorker({ adminPort, onServing, onHeard, onMessage, onEnded }: ForkOptions): Worker {
  // Workers accept connections themselves. The runtime's other way, where the parent accepts and hands over, leaves the
  // connection that was being handed to a dying worker without an answer for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const worker = cluster.fork({ TOLLGATE_ADMIN_PORT: `${adminPort}` });
  worker.on("message", (message: WorkerMessage) => {
    onHeard(worker);
    if (message === "serving") onServing();
    else if (message !== "alive") onMessage(worker, message);
  });
  worker.on("exit", (code: number | null, signal: string | null) => onEnded({ code, signal }));
  // A process that could not be made has no exit; any other error of a worker is followed by one.
  worker.on("error", () => {
    if (worker.process.pid === undefined) onEnded({ code: null, signal: null });
  });
  return worker;
}
