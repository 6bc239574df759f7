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
  /** A reading that fails says nothing: for so long what was read before counts. */
  countsForMs: number;
  clock: Pick<Clock, "elapsedMs">;
  /** Hears after each look what `latest` says then. */
  onRead: (reading: Reading | null) => void;
};

/** Reads something slowly, again and again. That the database does not answer is said by what watches the ledger. */
export function watchReading<Reading>(options: Options<Reading>): ReadingWatch<Reading> {
  const { read, everyMs, countsForMs, clock, onRead } = options;
  let known: { reading: Reading; atMs: number } | null = null;
  const latest = (): Reading | null =>
    known !== null && clock.elapsedMs() - known.atMs < countsForMs ? known.reading : null;

  async function turn(): Promise<void> {
    const atMs = clock.elapsedMs();
    const reading = await read().catch(() => null);
    if (reading !== null) known = { reading, atMs };
    onRead(latest());
  }

  const repetition = repeat({ everyMs, clock, turn });
  return { latest, stop: repetition.stop };
}
