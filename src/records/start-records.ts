import type { Clock } from "../core/clock.ts";
import type { RecordRequest } from "../core/request/request-facts.ts";
import { createReadClient } from "./agent-name.ts";
import { createOwedSeries, type OwedStore } from "./owed-series.ts";
import { batchOf, type RecordBatch } from "./record-batch.ts";
import { createRecordQueue, type QueuedRecord } from "./record-queue.ts";
import type { Grain } from "./request-groups.ts";

export type KeptDays = { made: number; removed: number };

export type RecordStore = OwedStore & {
  /** Writes a batch and that its sums are owed, or nothing. One that was written before changes nothing. `refused`: it never can be written. */
  write: (batch: RecordBatch) => Promise<"written" | "refused">;
  /** Prepares the days to come and removes those that are older than so many. Null: another process is at it. */
  keepDays: (days: number) => Promise<KeptDays | null>;
  /** Removes some sums that are older than so many days. Answers whether there may be more. */
  removeSeries: (old: { grain: Grain; days: number }) => Promise<boolean>;
};

type Options = {
  store: RecordStore;
  clock: Pick<Clock, "elapsedMs">;
  limits: { queue: number; flushMs: number; keepDays: number; seriesDays: number };
  onWritten: (records: number) => void;
  onDropped: (records: number) => void;
  onFailed: (error: unknown) => void;
};

export type Records = {
  record: RecordRequest;
  /** Writes what waits, for so long at most, and ends. */
  stop: (withinMs: number) => Promise<void>;
};

/** Rows of one statement at most. They are put together while requests wait for their turn: so many take some milliseconds. */
const ROWS_AT_ONCE = 250;
/** Days are prepared two ahead, so this is often enough. */
const KEEP_EVERY_MS = 600_000;
/** For how many days at most each grain is kept. Steps of five minutes are for a close look at the last days. */
const KEPT_SERIES: readonly (readonly [Grain, number])[] = [
  [5, 8],
  [60, Infinity],
  [1_440, Infinity],
];

/**
 * Writes down what became of requests, some moments later and many at once. No request waits for it: while the database is away,
 * as many wait as the queue holds, and the rest are dropped and counted. What a process has not written when it is killed is lost;
 * the journal is not. Sums of what was written are not lost with it: the database knows that they are owed, and another process adds them.
 */
export function startRecords(options: Options): Records {
  const { store, clock, limits, onWritten, onDropped, onFailed } = options;
  const queue = createRecordQueue({ most: limits.queue });
  const readClient = createReadClient();
  /** Taken from the queue, and not known to be written. Never changed: what is sent again is as it was. */
  let pending: QueuedRecord[][] = [];
  const owed = createOwedSeries({ store, clock, onFailed });
  let turn: Promise<void> | null = null;
  let stopped = false;
  let keepDueMs = Number.NEGATIVE_INFINITY;

  async function flush(): Promise<void> {
    const dropped = queue.dropped();
    if (dropped > 0) onDropped(dropped);
    if (pending.length === 0) pending = partsOf(queue.take());
    try {
      for (let [records] = pending; records !== undefined; [records] = pending) {
        const batch = batchOf(records);
        const written = await store.write(batch);
        pending.shift();
        if (written === "written") owed.owe(batch);
        (written === "written" ? onWritten : onDropped)(batch.ids.length);
      }
      await (stopped ? owed.addAll() : owed.addDue());
      if (!stopped && clock.elapsedMs() >= keepDueMs) await keep();
    } catch (error) {
      onFailed(error);
    }
  }

  async function keep(): Promise<void> {
    keepDueMs = clock.elapsedMs() + KEEP_EVERY_MS;
    if ((await store.keepDays(limits.keepDays)) === null) return;
    for (const [grain, mostDays] of KEPT_SERIES) {
      const days = Math.min(mostDays, limits.seriesDays);
      while (!stopped && (await store.removeSeries({ grain, days })));
    }
  }

  function begin(): Promise<void> {
    turn ??= flush().finally(() => {
      turn = null;
    });
    return turn;
  }

  const timer = setInterval(() => void begin(), limits.flushMs).unref();
  void begin();

  return {
    record: (facts, userAgent) => queue.add(facts, readClient(userAgent)),
    stop: async (withinMs) => {
      stopped = true;
      clearInterval(timer);
      // Once for what was being written, and once for what came meanwhile.
      await endedWithin(withinMs, begin().then(begin));
    },
  };
}

/** Resolves when the work has ended, or when its time is over. */
async function endedWithin(withinMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const bell = setTimeout(late.resolve, withinMs);
  await Promise.race([work, late.promise]);
  clearTimeout(bell);
}

function partsOf(records: readonly QueuedRecord[]): QueuedRecord[][] {
  const parts: QueuedRecord[][] = [];
  for (let at = 0; at < records.length; at += ROWS_AT_ONCE) parts.push(records.slice(at, at + ROWS_AT_ONCE));
  return parts;
}
