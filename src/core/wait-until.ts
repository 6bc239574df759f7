import { setTimeout as wait } from "node:timers/promises";

const LOOK_EVERY_MS = 20;

/** Waits for something to become true, for so long at most. Only for the end of a process, where nothing tells when. */
export async function waitUntil(isTrue: () => boolean, mostMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < mostMs && !isTrue(); waitedMs += LOOK_EVERY_MS) await wait(LOOK_EVERY_MS);
}
