/** Time arrives as an argument, so that tests move it and nobody sleeps. */
export type Clock = {
  /** Milliseconds since the epoch, for dates. */
  nowMs: () => number;
  /** Milliseconds of a clock that never jumps, for durations. */
  elapsedMs: () => number;
};

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
};
