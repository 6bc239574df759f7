/**
 * A wait rounded up to whole seconds. Timers of equal length share one list in the runtime, so thousands of deadlines cost one
 * clock between them; nobody minds a deadline of minutes ending a moment late. Short waits stay exact.
 */
export function wholeSeconds(waitMs: number): number {
  return waitMs < 10_000 ? Math.max(0, waitMs) : Math.ceil(waitMs / 1_000) * 1_000;
}
