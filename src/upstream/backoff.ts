import type { Sink } from "../core/request/sink.ts";

/** More would hide an outage behind waiting. */
export const MOST_ATTEMPTS = 3;

const FIRST_WAIT_MS = 50;

/** How long to wait before an attempt after the first, drawn by chance, so that those who failed together do not come again together. */
export const backoffMs = (attempt: number, random: () => number): number =>
  FIRST_WAIT_MS * 2 ** (attempt - 2) * (0.5 + random() / 2);

/** Waits, or until the caller leaves. */
export function pause(waitMs: number, sink: Pick<Sink, "onGone">): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    sink.onGone(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
