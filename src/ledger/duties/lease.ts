import type { Clock } from "../../core/clock.ts";
import type { Ledger } from "../ledger.ts";
import { repeat } from "./repeat.ts";

type LeaseOptions = {
  heartbeat: Ledger["heartbeat"];
  processId: string;
  clock: Pick<Clock, "elapsedMs">;
  renewMs?: number;
  /** How long one try may take before the next is made. */
  tryMs?: number;
  /** For how long a renewal holds. */
  lapsedAfterMs?: number;
  lostAfterMs?: number;
  onRenewed: () => void;
  /** It had run out before it was renewed: others may have settled what this process still streams. */
  onLapsed: () => void;
  onFailed: (error: unknown) => void;
  /** The lease has run out long ago: what this process still streams was settled by others and must be cut. */
  onLost: () => void;
};

export type Lease = {
  /** Resolves after the first renewal. Before it nothing may be admitted: the sweeper would take the holds at once. */
  renewed: Promise<void>;
  stop: () => Promise<void>;
};

/** Tells the database every few seconds that this process lives, until it is stopped. */
export function startLease(options: LeaseOptions): Lease {
  const { heartbeat, processId, clock, onRenewed, onLapsed, onFailed, onLost } = options;
  const { renewMs = 5_000, tryMs = 4_000, lapsedAfterMs = 15_000, lostAfterMs = 60_000 } = options;
  const first = Promise.withResolvers<void>();
  let renewedMs = clock.elapsedMs();
  let held = false;
  let lost = false;

  async function turn(): Promise<void> {
    // Before the try as well: a process that was stopped for a while wakes up here, and its lease may look renewed a moment later.
    noticeLoss();
    const sentMs = clock.elapsedMs();
    const renewal = heartbeat(processId).then(() => {
      // Counted from when it was sent, since nobody knows when in between the database heard it; and counted even when it
      // comes too late for its try, for the lease was renewed all the same.
      const lapsed = held && clock.elapsedMs() >= renewedMs + lapsedAfterMs;
      held = true;
      renewedMs = Math.max(renewedMs, sentMs);
      lost = false;
      onRenewed();
      if (lapsed) onLapsed();
      first.resolve();
    });
    await within(tryMs, renewal).catch(onFailed);
    noticeLoss();
  }

  function noticeLoss(): void {
    if (lost || clock.elapsedMs() < renewedMs + lostAfterMs) return;
    lost = true;
    onLost();
  }

  const repetition = repeat({ everyMs: renewMs, clock, turn });
  return {
    renewed: first.promise,
    stop: async () => {
      await repetition.stop();
      first.resolve();
    },
  };
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
