import { setImmediate as otherWork } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import type { Ended, InFlight } from "../core/request/in-flight.ts";
import type { CancelEnd, LiveStore, NumberedEnd, Published } from "./live.ts";

/** The requests of this process, as they are looked at. */
type Requests = {
  count: () => number;
  inFlight: () => Iterable<InFlight>;
  cancel: (id: string) => CancelEnd | null;
};

type Parts = {
  store: LiveStore;
  process: string;
  requests: Requests;
  clock: Clock;
  onFailed: (error: unknown) => void;
  everyMs?: number;
};

/** Tells those who watch what this process has in flight. While nobody watches it does nothing, and has no timer. */
export type PublishLive = {
  /** Whether somebody watches. */
  isWatched: () => boolean;
  /** A request of this process has ended. Told only while somebody watches. */
  ended: (end: Ended) => void;
  /** Somebody may watch, or want something cancelled. Any role of the database can say so, as often as it likes. */
  notified: () => void;
  /** Whether notifications arrive. While they do not, the database is asked every second. */
  hears: (hears: boolean) => void;
  close: () => Promise<void>;
};

const EVERY_MS = 1_000;
/** Two words within this time are answered by one question. */
const PACE_MS = 100;
/** Sooner than one look gives up on a process that says nothing. */
const UNHEARD_MS = 1_000;
/** A database that does not answer is not asked for ever; the next word begins anew. */
const MOST_FAILURES = 60;
const MOST_IN_FLIGHT = 1_000;
/** Ends are told for so long, so that who reads once a second finds each; and no more of them, so that a row stays small. */
const ENDS_FOR_MS = 5_000;
const MOST_ENDS = 400;
/** Looked at in one go. */
const AT_ONCE = 100;

export function createPublishLive(parts: Parts): PublishLive {
  const { clock, everyMs = EVERY_MS } = parts;
  const publication = createPublication(parts);
  let timer: NodeJS.Timeout | null = null;
  let turning: Promise<void> | null = null;
  let isNotified = false;
  let startedMs = Number.NEGATIVE_INFINITY;
  let hearing = true;
  let closed = false;

  function start(): void {
    stopTimer();
    isNotified = false;
    startedMs = clock.elapsedMs();
    turning = publication.turn().finally(() => {
      turning = null;
      schedule();
    });
  }

  function stopTimer(): void {
    if (timer) clearTimeout(timer);
    timer = null;
  }

  /** The next turn: soon after a word, in a second while somebody watches, and else never. */
  function schedule(): void {
    if (closed || turning !== null) return;
    stopTimer();
    const soonMs = Math.max(0, startedMs + PACE_MS - clock.elapsedMs());
    const waitMs = isNotified ? soonMs : publication.isOut() ? everyMs : hearing ? null : UNHEARD_MS;
    if (waitMs === 0) start();
    else if (waitMs !== null) timer = setTimeout(start, waitMs).unref();
  }

  return {
    isWatched: publication.isOut,
    ended: publication.ended,
    notified: () => {
      if (isNotified) return;
      isNotified = true;
      schedule();
    },
    hears: (hears) => {
      hearing = hears;
      schedule();
    },
    close: async () => {
      closed = true;
      stopTimer();
      await turning;
      await publication.withdraw();
    },
  };
}

/** What this process has published, which is nothing while nobody watches. */
function createPublication({ store, process, requests, clock, onFailed }: Parts) {
  let isOut = false;
  let failures = 0;
  let ends: NumberedEnd[] = [];
  let lastNo = 0;

  async function current(): Promise<Published> {
    const sinceMs = clock.nowMs() - ENDS_FOR_MS;
    ends = ends.filter(({ atMs }) => atMs >= sinceMs).slice(-MOST_ENDS);
    return { ...(await look(requests)), ended: ends };
  }

  return {
    isOut: (): boolean => isOut,
    turn: async (): Promise<void> => {
      try {
        let wanted = await store.publish(process, isOut ? await current() : null);
        if (wanted.watchedMs > 0 && !isOut) {
          isOut = true;
          wanted = await store.publish(process, await current());
        }
        await cancel(wanted.cancels, { store, requests });
        if (wanted.watchedMs === 0 && isOut) {
          isOut = false;
          ends = [];
          await store.withdraw(process);
        }
        failures = 0;
      } catch (error) {
        failures++;
        if (failures === 1) onFailed(error);
        if (failures > MOST_FAILURES) isOut = false;
      }
    },
    ended: (end: Ended): void => {
      if (!isOut) return;
      ends.push({ ...end, no: ++lastNo });
      // Between two turns there may be thousands.
      if (ends.length > 2 * MOST_ENDS) ends = ends.slice(-MOST_ENDS);
    },
    withdraw: async (): Promise<void> => {
      if (isOut) await store.withdraw(process).catch(() => undefined);
    },
  };
}

async function cancel(ids: readonly string[], { store, requests }: Pick<Parts, "store" | "requests">): Promise<void> {
  const ends = new Map<string, CancelEnd>();
  for (const id of ids) {
    const end = requests.cancel(id);
    if (end !== null) ends.set(id, end);
  }
  if (ends.size > 0) await store.answer(ends);
}

/** In slices, so that a request never waits for all of them. */
async function look({ count, inFlight }: Requests): Promise<Pick<Published, "inFlight" | "more">> {
  const seen: InFlight[] = [];
  for (const request of inFlight()) {
    seen.push(request);
    if (seen.length === MOST_IN_FLIGHT) break;
    if (seen.length % AT_ONCE === 0) await otherWork();
  }
  return { inFlight: seen, more: Math.max(0, count() - seen.length) };
}
