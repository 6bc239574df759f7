import type { Clock } from "../../core/clock.ts";

export type Drain = {
  /** From the signal on: it reports not ready, and keeps no connection. */
  isDraining: () => boolean;
  /** From when it stopped listening: a request that still comes is refused. */
  isClosed: () => boolean;
  openRequests: () => number;
  opened: () => void;
  closed: () => void;
  /** Reports unready, then stops listening, then waits for what is under way: how many requests were left at the deadline. */
  finish: (farewell: { delayMs: number; deadlineMs: number; closeListener: () => void }) => Promise<number>;
};

/** Counts what is under way, so that a process can leave without cutting anybody off. */
export function createDrain({ clock }: { clock: Clock }): Drain {
  let open = 0;
  let draining = false;
  let closed = false;
  let notify: (() => void) | null = null;

  /** Resolves when nothing is open, or after a time. */
  const quiet = (waitMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, waitMs));
      notify = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    isDraining: () => draining,
    isClosed: () => closed,
    openRequests: () => open,
    opened: () => {
      open++;
    },
    closed: () => {
      open--;
      if (open === 0) notify?.();
    },
    finish: async ({ delayMs, deadlineMs, closeListener }) => {
      draining = true;
      const until = clock.elapsedMs() + deadlineMs;
      // Load balancers need a moment to see that this one is going; what they send until then is served.
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      closed = true;
      closeListener();
      while (open > 0 && clock.elapsedMs() < until) await quiet(until - clock.elapsedMs());
      return open;
    },
  };
}
