import type { Clock } from "../../core/clock.ts";

/** How many lines of one kind are written in a while. */
export type LineAllowance = {
  /** Null: not this one. Else how many were not written since the last that was. */
  take: () => { unwritten: number } | null;
};

/** For what anybody can provoke as often as he likes. What is not written is counted, and the next line says so. */
export function createLineAllowance({
  most,
  perMs,
  clock,
}: {
  most: number;
  perMs: number;
  clock: Pick<Clock, "elapsedMs">;
}): LineAllowance {
  let beganMs = Number.NEGATIVE_INFINITY;
  let written = 0;
  let unwritten = 0;
  return {
    take: () => {
      const nowMs = clock.elapsedMs();
      if (nowMs - beganMs >= perMs) {
        beganMs = nowMs;
        written = 0;
      }
      if (written >= most) {
        unwritten++;
        return null;
      }
      written++;
      const line = { unwritten };
      unwritten = 0;
      return line;
    },
  };
}
