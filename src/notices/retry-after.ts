const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
const DAY_MS = 24 * HOUR_MS;

/** Waits after the first failure, the second and so on; the last one repeats. */
const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
];
/** So that many that failed together do not come back together. */
const SPREAD = 0.1;

/** How long to wait after this attempt failed; null when the day since the first one would be over. `random` is from 0 to 1. */
export function retryAfterMs(
  { attempt, triedMs }: { attempt: number; triedMs: number },
  random: number,
): number | null {
  const waitMs = WAITS_MS[Math.min(attempt, WAITS_MS.length) - 1] ?? DAY_MS;
  const againMs = Math.round(waitMs * (1 + SPREAD * (2 * random - 1)));
  return triedMs + againMs > DAY_MS ? null : againMs;
}
