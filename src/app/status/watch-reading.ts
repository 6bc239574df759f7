import type { Clock } from "../../core/clock.ts";
import { repeat } from "../../ledger/duties/repeat.ts";

export type ReadingWatch<Reading> = {
  /** What was read last; null: nothing that still counts. */
  latest: () => Reading | null;
  stop: () => Promise<void>;
};

type Options<Reading> = {
  /** Null: there is nothing to read. */
  read: () => Promise<Reading | null>;
  everyMs: number;
  clock: Pick<Clock, "elapsedMs">;
  /** Hears after each look what `latest` says then. */
  onRead: (reading: Reading | null) => void;
};

/** A reading that fails once says nothing: what was read before counts for so many turns. */
const STALE_AFTER = 4;

/** Reads something slowly, again and again. That the database does not answer is said by what watches the ledger. */
export function watchReading<Reading>({ read, everyMs, clock, onRead }: Options<Reading>): ReadingWatch<Reading> {
  let known: { reading: Reading; atMs: number } | null = null;
  const latest = (): Reading | null =>
    known !== null && clock.elapsedMs() - known.atMs < STALE_AFTER * everyMs ? known.reading : null;

  async function turn(): Promise<void> {
    const atMs = clock.elapsedMs();
    const reading = await read().catch(() => null);
    if (reading !== null) known = { reading, atMs };
    onRead(latest());
  }

  const repetition = repeat({ everyMs, clock, turn });
  return { latest, stop: repetition.stop };
}
