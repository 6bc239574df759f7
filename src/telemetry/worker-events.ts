import type { Logger } from "./logger.ts";

/** What the parent of several workers sees of them. Slots are numbered from 0; a replacement takes the slot of the dead. */
export type WorkerEvents = {
  workerStarted: (worker: { slot: number; pid: number | undefined; adminPort: number }) => void;
  workerListening: (worker: { slot: number; pid: number | undefined }) => void;
  /** `restartMs` is null when it is not replaced. */
  workerEnded: (end: {
    slot: number;
    pid: number | undefined;
    code: number | null;
    signal: string | null;
    restartMs: number | null;
  }) => void;
  /** They die faster than they can be replaced, and none serves. */
  workersGivenUp: (deaths: number) => void;
  /** Workers that did not end in time were killed. */
  workersKilled: (workers: number) => void;
};

export function createWorkerEvents({ logger }: { logger: Logger }): WorkerEvents {
  return {
    workerStarted: ({ slot, pid, adminPort }) =>
      logger.info({ slot, worker_pid: pid, admin_port: adminPort }, "worker started"),
    workerListening: ({ slot, pid }) => logger.info({ slot, worker_pid: pid }, "worker listening"),
    workerEnded: ({ slot, pid, code, signal, restartMs }) =>
      logger[restartMs === null ? "info" : "warn"](
        { slot, worker_pid: pid, code, signal, restart_ms: restartMs },
        "worker ended",
      ),
    workersGivenUp: (deaths) => logger.error({ deaths }, "workers given up"),
    workersKilled: (workers) => logger.error({ workers }, "workers killed"),
  };
}
