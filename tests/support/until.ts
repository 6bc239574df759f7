import { setTimeout as sleep } from "node:timers/promises";

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;
/** So much longer does a wait become at most by the pause at its end. */
const SHARE = 1 / 20;

/**
 * Waits until a condition of another process holds; fails loudly when it does not in time. The time is a bound for what hangs:
 * a busy machine takes seconds for what a quiet one does in milliseconds. To look is work for both processes, so a long wait looks less often.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 30_000,
): Promise<void> {
  const since = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - since;
    if (waitedMs > timeoutMs) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await sleep(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, waitedMs * SHARE)));
  }
}
