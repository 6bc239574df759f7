import type { Clock } from "../../../core/clock.ts";

/** Somebody else has the turn, or this process stops. */
export class TurnLost extends Error {}

type PaceOptions = {
  clock: Pick<Clock, "elapsedMs">;
  /** Of one processor core. */
  sharePercent: number;
  /** Waits. It throws at once when the process stops. */
  sleep: (ms: number) => Promise<void>;
  /** Called every so often, also during a long rest. It throws when the turn is lost. */
  keepTurn: () => Promise<void>;
  keepEveryMs: number;
};

/**
 * Runs steps, and rests after each for as long as its share demands. What counts is the time from the end of one rest to the beginning of the
 * next: the server's work, this process' own, and whatever they waited for, so that a busy server is asked for less.
 */
export function createPace({ clock, sharePercent, sleep, keepTurn, keepEveryMs }: PaceOptions) {
  let workedMs = 0;
  let sinceMs = clock.elapsedMs();
  let keptMs = clock.elapsedMs();

  async function keep(): Promise<void> {
    if (clock.elapsedMs() - keptMs < keepEveryMs) return;
    await keepTurn();
    keptMs = clock.elapsedMs();
  }

  return {
    /** So far, without rests. */
    workedMs: () => workedMs,
    /** What was done until now was no work. */
    begin: async (): Promise<void> => {
      await keepTurn();
      keptMs = clock.elapsedMs();
      sinceMs = clock.elapsedMs();
    },
    step: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const result = await work();
      const tookMs = clock.elapsedMs() - sinceMs;
      workedMs += tookMs;
      const untilMs = clock.elapsedMs() + tookMs * (100 / sharePercent - 1);
      await keep();
      for (let leftMs = untilMs - clock.elapsedMs(); leftMs > 0; leftMs = untilMs - clock.elapsedMs()) {
        await sleep(Math.min(leftMs, keepEveryMs));
        await keep();
      }
      sinceMs = clock.elapsedMs();
      return result;
    },
  };
}
