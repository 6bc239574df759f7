import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import type { InFlight } from "../core/in-flight.ts";
import type { SeenProcess, WatchStore } from "./live.ts";

/** What all processes have in flight. */
export type LiveView = {
  /** The oldest first. */
  inFlight: readonly InFlight[];
  /** How many are in flight beside these. */
  more: number;
  /** Processes that have a lease. */
  processes: number;
  /** Of these, how many have said nothing within the last seconds. One that has just stopped is among them until its lease runs out. */
  silent: number;
};

export type WatchLive = {
  /** One look at all processes. */
  look: () => Promise<LiveView>;
};

/** A watcher that says nothing more is forgotten after this. */
const WATCH_MS = 5_000;
/** How long one look waits for processes that have not been publishing. */
const ANSWER_MS = 2_000;
const ASK_EVERY_MS = 50;

type Parts = { store: Pick<WatchStore, "watch" | "read">; clock: Pick<Clock, "elapsedMs"> };

export const createWatchLive = ({ store, clock }: Parts): WatchLive => ({
  look: async () => {
    await store.watch(WATCH_MS);
    const untilMs = clock.elapsedMs() + ANSWER_MS;
    for (;;) {
      const processes = await store.read();
      if (processes.every(({ published }) => published !== null) || clock.elapsedMs() >= untilMs)
        return viewOf(processes);
      await pause(ASK_EVERY_MS);
    }
  },
});

function viewOf(processes: readonly SeenProcess[]): LiveView {
  const said = processes.flatMap(({ published }) => (published === null ? [] : [published]));
  return {
    inFlight: said.flatMap(({ inFlight }) => inFlight).toSorted((one, other) => other.ageMs - one.ageMs),
    more: said.reduce((sum, { more }) => sum + more, 0),
    processes: processes.length,
    silent: processes.length - said.length,
  };
}
