import type { Clock } from "../../core/clock.ts";

type DatabaseBreakerOptions = {
  clock: Pick<Clock, "elapsedMs">;
  /** So many failures in a row, and nobody waits for the next. */
  failures: number;
  /** How long after a failure somebody may try again. */
  coolMs: number;
};

/** Whether it is worth asking a database that failed. Shared by all lanes to it. */
export type DatabaseBreaker = {
  /** False while it is known to be dead; then true for one caller at a time, who tries. */
  permits: () => boolean;
  /** So many failures in a row that it is known to be dead. */
  broken: () => boolean;
  succeeded: () => void;
  failed: () => void;
};

export function createDatabaseBreaker({ clock, failures, coolMs }: DatabaseBreakerOptions): DatabaseBreaker {
  let failed = 0;
  let triedMs = 0;
  return {
    permits: () => {
      if (failed < failures) return true;
      if (clock.elapsedMs() < triedMs + coolMs) return false;
      triedMs = clock.elapsedMs();
      return true;
    },
    broken: () => failed >= failures,
    succeeded: () => {
      failed = 0;
    },
    failed: () => {
      failed += 1;
      triedMs = clock.elapsedMs();
    },
  };
}
