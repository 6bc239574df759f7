import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import type { InFlight } from "../core/request/in-flight.ts";
import type { NumberedEnd, SeenProcess, WatchStore } from "./live.ts";

/** What all processes have in flight, and what ended in the last seconds. */
export type LiveView = {
  /** The oldest first. */
  inFlight: readonly InFlight[];
  /** How many are in flight beside these. */
  more: number;
  /** Processes that have a lease. */
  processes: number;
  /** Of these, how many have said nothing within the last seconds. One that has just stopped is among them until its lease runs out. */
  silent: number;
  /** By the process that served it, the oldest first in each. */
  ended: ReadonlyMap<string, readonly NumberedEnd[]>;
};

type Watcher = { seen: (view: LiveView) => void; failed: (error: unknown) => void };

export type WatchLive = {
  /** One look at all processes. */
  look: () => Promise<LiveView>;
  /** A look every second, until the function that is returned is called. However many watch, one reads. */
  subscribe: (watcher: Watcher) => () => void;
};

/** A watcher that says nothing more is forgotten after this. */
const WATCH_MS = 5_000;
/** How long one look waits for processes that have not been publishing. */
const ANSWER_MS = 2_000;
const ASK_EVERY_MS = 50;
const EVERY_MS = 1_000;

type Parts = { store: Pick<WatchStore, "watch" | "read">; clock: Pick<Clock, "elapsedMs">; everyMs?: number };

export function createWatchLive({ store, clock, everyMs = EVERY_MS }: Parts): WatchLive {
  const watchers = new Set<Watcher>();
  let running = false;

  async function look(): Promise<LiveView> {
    await store.watch(WATCH_MS);
    const untilMs = clock.elapsedMs() + ANSWER_MS;
    for (;;) {
      const processes = await store.read();
      if (processes.every(({ published }) => published !== null) || clock.elapsedMs() >= untilMs)
        return viewOf(processes);
      await pause(ASK_EVERY_MS);
    }
  }

  async function run(): Promise<void> {
    let isFirst = true;
    for (running = true; watchers.size > 0; isFirst = false) {
      try {
        // Only the first waits for processes that are not publishing yet: one that is dead would hold up all the others.
        const view = isFirst ? await look() : await glance();
        for (const { seen } of watchers) seen(view);
      } catch (error) {
        for (const { failed } of watchers) failed(error);
      }
      await pause(everyMs, undefined, { ref: false });
    }
    running = false;
  }

  async function glance(): Promise<LiveView> {
    await store.watch(WATCH_MS);
    return viewOf(await store.read());
  }

  return {
    look,
    subscribe: (watcher) => {
      watchers.add(watcher);
      if (!running) void run();
      return () => void watchers.delete(watcher);
    },
  };
}

function viewOf(processes: readonly SeenProcess[]): LiveView {
  const said = processes.flatMap(({ published }) => (published === null ? [] : [published]));
  return {
    inFlight: said.flatMap(({ inFlight }) => inFlight).toSorted((one, other) => other.ageMs - one.ageMs),
    more: said.reduce((sum, { more }) => sum + more, 0),
    processes: processes.length,
    silent: processes.length - said.length,
    ended: new Map(processes.map(({ id, published }) => [id, published?.ended ?? []])),
  };
}
