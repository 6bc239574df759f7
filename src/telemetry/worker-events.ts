import { sayTo } from "./log/log-table.ts";
import type { Logger } from "./log/logger.ts";

/** What the parent of several workers sees of them. Slots are numbered from 0; a replacement takes the slot of the dead. */
export type WorkerEvents = {
  workerStarted: (worker: { slot: number; pid: number | undefined; adminPort: number }) => void;
  workerListening: (worker: { slot: number; pid: number | undefined }) => void;
  /** It has not said for so long that it is alive, and is killed. */
  workerHung: (worker: { slot: number; pid: number | undefined; silentMs: number }) => void;
  /** `restartMs` is null when it is not replaced. */
  workerEnded: (end: {
    slot: number;
    pid: number | undefined;
    code: number | null;
    signal: string | null;
    restartMs: number | null;
  }) => void;
  /** Told by the worker itself. */
  parentGone: () => void;
  /** They die faster than they can be replaced, and none serves. */
  workersGivenUp: (deaths: number) => void;
  /** Workers that did not end in time were killed. */
  workersKilled: (workers: number) => void;
};

export function createWorkerEvents({ logger }: { logger: Logger }): WorkerEvents {
  const say = sayTo(logger);
  return {
    workerStarted: ({ slot, pid, adminPort }) => say("workerStarted", { slot, worker_pid: pid, admin_port: adminPort }),
    workerListening: ({ slot, pid }) => say("workerListening", { slot, worker_pid: pid }),
    workerHung: ({ slot, pid, silentMs }) => say("workerHung", { slot, worker_pid: pid, silent_ms: silentMs }),
    workerEnded: ({ slot, pid, code, signal, restartMs }) =>
      say(
        "workerEnded",
        { slot, worker_pid: pid, code, signal, restart_ms: restartMs },
        restartMs === null ? "info" : "warn",
      ),
    parentGone: () => say("parentGone"),
    workersGivenUp: (deaths) => say("workersGivenUp", { deaths }),
    workersKilled: (workers) => say("workersKilled", { workers }),
  };
}
