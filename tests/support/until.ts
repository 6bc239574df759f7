import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until a condition of another process holds; fails loudly when it does not in time. The time is a bound for what hangs:
 * a busy machine takes seconds for what a quiet one does in milliseconds.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await sleep(10);
  }
}
