import type { Clock } from "../../core/clock.ts";
import type { CallWatch, LedgerSend } from "../state/watch-ledger.ts";

type DatabaseBreakerOptions = {
  clock: Pick<Clock, "elapsedMs">;
  /** So many failures in a row, and nobody waits for the next. */
  failures: number;
  /** How long after a failure somebody may try again. */
  coolMs: number;
  watch: CallWatch;
};

/** Whether it is worth asking a database that failed. Shared by all lanes to it. */
export type DatabaseBreaker = {
  /** False while it is known to be dead; then true for one caller at a time, who tries. */
  permits: () => boolean;
  /** So many failures in a row that it is known to be dead. */
  broken: () => boolean;
  sent: () => LedgerSend;
  succeeded: (call: LedgerSend) => void;
  /** It may have happened, or could not. */
  lost: (call: LedgerSend, error: unknown) => void;
  /** Nothing of it happened, and nothing that this process sends would. */
  refused: (call: LedgerSend, error: unknown) => void;
  /** It was rejected for what was in it, or for a defect of ours. */
  rejected: (call: LedgerSend, defect?: unknown) => void;
  /** Nobody was answered while a call waited for all of its time. */
  silent: () => void;
  /** A call was turned away unsent. */
  overfull: () => void;
};

export function createDatabaseBreaker({ clock, failures, coolMs, watch }: DatabaseBreakerOptions): DatabaseBreaker {
  let failed = 0;
  let triedMs = 0;
  const count = (): void => {
    failed += 1;
    triedMs = clock.elapsedMs();
  };
  return {
    permits: () => {
      if (failed < failures && !watch.isDown()) return true;
      if (clock.elapsedMs() < triedMs + coolMs) return false;
      triedMs = clock.elapsedMs();
      return true;
    },
    broken: () => failed >= failures,
    sent: watch.sent,
    succeeded: (call) => {
      failed = 0;
      watch.answered(call);
    },
    lost: (call, error) => {
      count();
      watch.failed(call, error);
    },
    refused: watch.failed,
    rejected: watch.rejected,
    silent: count,
    overfull: watch.overfull,
  };
}
