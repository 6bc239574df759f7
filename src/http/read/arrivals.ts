import type { Clock } from "../../core/clock.ts";
import { Fault } from "../../core/fault.ts";
import { LinkedList } from "../../core/linked-list.ts";

/** A body that is still coming. */
export type Arrival = { received: () => number; cut: (fault: Fault) => void };

type Watched = {
  before: Watched | null;
  behind: Watched | null;
  readonly arrival: Arrival;
  readonly sinceMs: number;
  markMs: number;
  markBytes: number;
  watched: boolean;
};

/**
 * Bodies on their way. Whoever sends slowly holds a place and memory that others could use, so a body has to go on arriving, and
 * where room is short the one that has taken longest gives way.
 */
export type Arrivals = {
  /** Watches a body until it is dropped. */
  watch: (arrival: Arrival) => Watched;
  drop: (watched: Watched) => void;
  /** Cuts the body that has taken longest, unless none has taken long: whether there was one. */
  makeRoom: () => boolean;
};

type Options = {
  clock: Pick<Clock, "elapsedMs">;
  /** Slowest that a body may arrive; 0 is no minimum. */
  bytesPerSecond: number;
  /** Longest that a body may take, however steadily it arrives. */
  timeoutMs: number;
};

const WINDOW_MS = 5_000;
const CHECK_MS = 1_000;
/** A body of the usual size is there sooner, on the slowest of lines. */
const LONG_MS = 2_000;

export function createArrivals({ clock, bytesPerSecond, timeoutMs }: Options): Arrivals {
  /** In the order in which they began. */
  const arriving = new LinkedList<Watched>();
  const leastBytes = (bytesPerSecond * WINDOW_MS) / 1_000;
  let timer: NodeJS.Timeout | null = null;

  function check(): void {
    const nowMs = clock.elapsedMs();
    for (let each = arriving.first, next = each?.behind ?? null; each !== null; each = next) {
      next = each.behind;
      if (nowMs - each.sinceMs >= timeoutMs) {
        end(each, tookTooLong(timeoutMs));
        continue;
      }
      if (nowMs - each.markMs < WINDOW_MS) continue;
      const received = each.arrival.received();
      if (received - each.markBytes < leastBytes) end(each, tooSlow(bytesPerSecond));
      each.markMs = nowMs;
      each.markBytes = received;
    }
    timer = null;
    start();
  }

  function start(): void {
    if (timer === null && arriving.size > 0) timer = setTimeout(check, CHECK_MS).unref();
  }

  function drop(each: Watched): void {
    if (each.watched) arriving.remove(each);
    each.watched = false;
  }

  function end(each: Watched, fault: Fault): void {
    drop(each);
    each.arrival.cut(fault);
  }

  return {
    watch: (arrival) => {
      const nowMs = clock.elapsedMs();
      const times = { sinceMs: nowMs, markMs: nowMs, markBytes: 0 };
      const watched: Watched = { before: null, behind: null, arrival, ...times, watched: true };
      arriving.add(watched);
      start();
      return watched;
    },
    drop,
    makeRoom: () => {
      const oldest = arriving.first;
      if (oldest === null || clock.elapsedMs() - oldest.sinceMs < LONG_MS) return false;
      end(oldest, gaveWay());
      return true;
    },
  };
}

const tooSlow = (bytesPerSecond: number): Fault =>
  new Fault(
    "invalid_request",
    `The request body arrived too slowly: less than ${bytesPerSecond.toLocaleString("en-US")} bytes per second for ${WINDOW_MS / 1_000} seconds.`,
  );

const tookTooLong = (timeoutMs: number): Fault =>
  new Fault(
    "invalid_request",
    `The request body took longer than ${Math.round(timeoutMs / 1_000).toLocaleString("en-US")} seconds to arrive. Send less, or over a faster line.`,
  );

const gaveWay = (): Fault =>
  new Fault("service_unavailable", "This gateway is at capacity and this request body arrived slowly. Try again.", {
    retryAfterSeconds: 2,
  });
