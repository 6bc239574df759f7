import { setTimeout as sleep } from "node:timers/promises";

/** Often enough to measure tenths of seconds with, and seldom enough not to keep those busy who are asked. */
const EVERY_MS = 200;

/** Waits until something holds that a server is asked for; fails loudly when it does not in time. */
export async function poll(condition: () => Promise<boolean>, what: string, timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`${what}: not within ${timeoutMs / 1_000} s`);
    await sleep(EVERY_MS);
  }
}
