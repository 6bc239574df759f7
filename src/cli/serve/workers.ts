import type { Worker } from "node:cluster";
import type { Clock } from "../../core/clock.ts";
import type { WorkerEvents } from "../../telemetry/worker-events.ts";
import { forkWorker, type WorkerEnd } from "./fork-worker.ts";
import { type AskedWorker, createTotalsGatherer } from "./gather-totals.ts";
import { restartAfter } from "./restart-policy.ts";
import { BEAT_MS, createWatchdog, type Watchdog } from "./watchdog.ts";
import type { ParentMessage } from "./worker-messages.ts";

type WorkersOptions = {
  /** One worker for each: every worker has an admin listener of its own. */
  adminPorts: readonly number[];
  clock: Pick<Clock, "elapsedMs">;
  /** Workers that have not ended so long after they were told to are killed. */
  endWithinMs: number;
  events: WorkerEvents;
};

/** A worker's place. Whoever takes it has its admin port. */
type Slot = {
  index: number;
  adminPort: number;
  worker: Worker | null;
  startedMs: number;
  serving: boolean;
  quickDeaths: number;
  timer: NodeJS.Timeout | null;
};

const FAILED = 1;
/** Less than a scraper waits: Prometheus gives up after ten seconds unless told otherwise. */
const METRICS_WAIT_MS = 2_000;

const askedWorker = (worker: Worker): AskedWorker => ({
  id: `${worker.id}`,
  send: (message) => void worker.send(message, () => undefined),
});

/**
 * Several gateways behind one port, each a process. They share the listening socket, so a connection that nobody has taken yet
 * is lost with none of them. Resolves with the exit code when all have ended.
 */
export function runWorkers({ adminPorts, clock, endWithinMs, events }: WorkersOptions): Promise<number> {
  const slots = adminPorts.map(emptySlot);
  const totals = createTotals(slots);
  const watchdog = createWatchdog();
  /** Until each has served once: a start that fails is told at once and not repeated. */
  let starting = true;
  const shutdown = createShutdown(slots, { endWithinMs, events });

  function start(slot: Slot): void {
    const { adminPort } = slot;
    slot.startedMs = clock.elapsedMs();
    slot.worker = forkWorker({
      adminPort,
      onServing: () => served(slot),
      onHeard: (worker) => watchdog.heard(`${worker.id}`),
      onMessage: (worker, message) => totals.heard(askedWorker(worker), message),
      onEnded: (end) => ended(slot, end),
    });
    watchdog.started(`${slot.worker.id}`);
    events.workerStarted({ slot: slot.index, pid: slot.worker.process.pid, adminPort });
  }

  function served(slot: Slot): void {
    slot.serving = true;
    events.workerListening({ slot: slot.index, pid: slot.worker?.process.pid });
    // What it was told before it had begun to listen to its parent is lost.
    if (shutdown.isBegun()) dismiss(slot);
    if (!starting || shutdown.isBegun()) return;
    // The first alone: what is wrong with the settings is then said once, and the port is taken by one.
    if (slot.index === 0) for (const next of slots.slice(1)) start(next);
    starting = !slots.every(({ serving }) => serving);
  }

  function ended(slot: Slot, { code, signal }: WorkerEnd): void {
    if (slot.worker) for (const part of [totals, watchdog]) part.ended(`${slot.worker.id}`);
    const end = { slot: slot.index, pid: slot.worker?.process.pid, code, signal };
    [slot.worker, slot.serving] = [null, false];
    if (shutdown.isBegun() || starting) {
      events.workerEnded({ ...end, restartMs: null });
      if (code !== 0 || !shutdown.isBegun()) shutdown.fail();
      if (!shutdown.isBegun()) shutdown.begin();
      shutdown.finishWhenAlone();
      return;
    }
    const { waitMs, quickDeaths } = restartAfter({
      livedMs: clock.elapsedMs() - slot.startedMs,
      quickDeaths: slot.quickDeaths,
      othersServe: slots.some(({ serving }) => serving),
    });
    slot.quickDeaths = quickDeaths;
    events.workerEnded({ ...end, restartMs: waitMs });
    if (waitMs === null) {
      events.workersGivenUp(quickDeaths);
      shutdown.fail();
      shutdown.begin();
    } else slot.timer = setTimeout(() => start(slot), waitMs);
  }

  setInterval(() => killHung(slots, { watchdog, events }), BEAT_MS).unref();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => shutdown.begin());
  for (const slot of slots.slice(0, 1)) start(slot);
  return shutdown.exitCode;
}

/** One that stands still cannot drain either, so it is killed at once. Its end is noticed like any other. */
function killHung(
  slots: readonly Slot[],
  { watchdog, events }: { watchdog: Watchdog; events: Pick<WorkerEvents, "workerHung"> },
): void {
  for (const { workerId, silentMs } of watchdog.look()) {
    const slot = slots.find(({ worker }) => `${worker?.id}` === workerId);
    if (!slot?.worker) continue;
    events.workerHung({ slot: slot.index, pid: slot.worker.process.pid, silentMs });
    slot.worker.process.kill("SIGKILL");
  }
}

const emptySlot = (adminPort: number, index: number): Slot => ({
  index,
  adminPort,
  worker: null,
  startedMs: 0,
  serving: false,
  quickDeaths: 0,
  timer: null,
});

const createTotals = (slots: readonly Slot[]) =>
  createTotalsGatherer({
    workers: slots.length,
    serving: () => slots.flatMap(({ worker, serving }) => (worker && serving ? askedWorker(worker) : [])),
    waitMs: METRICS_WAIT_MS,
  });

/** The end of all workers, and the exit code of their parent. */
function createShutdown(
  slots: readonly Slot[],
  { endWithinMs, events }: Pick<WorkersOptions, "endWithinMs" | "events">,
) {
  const { promise, resolve } = Promise.withResolvers<number>();
  let isBegun = false;
  let exitCode = 0;

  function kill(): void {
    const left = slots.flatMap(({ worker }) => worker ?? []);
    if (left.length === 0) return;
    events.workersKilled(left.length);
    exitCode = FAILED;
    for (const worker of left) worker.process.kill("SIGKILL");
  }

  function drain(): void {
    isBegun = true;
    for (const slot of slots) {
      if (slot.timer) clearTimeout(slot.timer);
      dismiss(slot);
    }
    setTimeout(kill, endWithinMs).unref();
  }

  function finishWhenAlone(): void {
    if (slots.every(({ worker }) => worker === null)) resolve(exitCode);
  }

  return {
    exitCode: promise,
    isBegun: (): boolean => isBegun,
    /** Tells all to drain. Asked again, it kills them: whoever asks twice does not want to wait. */
    begin: (): void => {
      if (isBegun) kill();
      else drain();
      finishWhenAlone();
    },
    fail: (): void => void (exitCode = FAILED),
    finishWhenAlone,
  };
}

function dismiss({ worker }: Slot): void {
  worker?.send("drain" satisfies ParentMessage, () => undefined);
}
