import type { Clock } from "../../core/clock.ts";

export type Repetition = {
  /** No further turn begins; resolves when the one under way has ended. */
  stop: () => Promise<void>;
};

type RepeatOptions = {
  /** From the beginning of one turn to that of the next. */
  everyMs: number;
  clock: Pick<Clock, "elapsedMs">;
  /** One turn. It reports its own failures and does not reject. */
  turn: () => Promise<void>;
};

/** Takes a turn at once and then at a steady pace, never two at a time: one that takes too long delays the next. */
export function repeat({ everyMs, clock, turn }: RepeatOptions): Repetition {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  let underway = begin();

  async function begin(): Promise<void> {
    const beganMs = clock.elapsedMs();
    await turn();
    if (stopped) return;
    const waitMs = Math.max(0, beganMs + everyMs - clock.elapsedMs());
    timer = setTimeout(() => {
      underway = begin();
    }, waitMs).unref();
  }

  return {
    stop: () => {
      stopped = true;
      if (timer) clearTimeout(timer);
      return underway;
    },
  };
}
