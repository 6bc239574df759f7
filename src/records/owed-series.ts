import type { Clock } from "../core/clock.ts";
import { foldSeries, type SeriesRow } from "./fold-series.ts";
import type { RecordBatch } from "./record-batch.ts";
import { createRequestGroups } from "./request-groups.ts";

/** Adding sums to series takes one part of the time in so many at most, and sums wait for it no longer than that. */
const ADD_SHARE = 200;
const LONGEST_OWED_MS = 60_000;
/** So few cost next to nothing, however long a busy database takes, and a small gateway has series that are as recent as its records. */
const FEW_GROUPS = 32;
const FEW_OWED_MS = 1_000;
/** Sums that wait in a process at most. More are forgotten here and added from the records, as those of a process that has ended. */
const GROUPS_MOST = 100_000;
const ADOPT_EVERY_MS = 60_000;
const LEFT_OUT = "series lack some requests: a sum does not fit its column";

export type OwedStore = {
  /**
   * Adds the sums of batches to the series, all or nothing, and once: `elsewhere`: they are not owed any longer, at least not all.
   * `refused`: they never can be added, and are forgotten.
   */
  add: (batches: readonly string[], series: Iterable<SeriesRow[]>) => Promise<"added" | "elsewhere" | "refused">;
  /** Adds the sums of a batch whose process has ended without doing so. */
  adopt: () => Promise<"added" | "none" | "refused">;
};

type Options = {
  store: OwedStore;
  clock: Pick<Clock, "elapsedMs">;
  onFailed: (error: unknown) => void;
};

/** One at a time. */
type OwedSeries = {
  /** The records of a batch are written, and its sums are owed. */
  owe: (batch: RecordBatch) => void;
  /** Adds what is due: its own sums, and those that a process which has ended has left. */
  addDue: () => Promise<void>;
  /** Adds all sums of its own. */
  addAll: () => Promise<void>;
};

/** Sums of records that are written and not known to be in the series. They are added the less often the longer that takes. */
export function createOwedSeries({ store, clock, onFailed }: Options): OwedSeries {
  let owed = createOwed();
  let addDueMs = Number.NEGATIVE_INFINITY;
  let fewDueMs = Number.NEGATIVE_INFINITY;
  let adoptDueMs = Number.NEGATIVE_INFINITY;

  async function addAll(): Promise<void> {
    if (owed.batches.length === 0) return;
    const beganMs = clock.elapsedMs();
    try {
      const added = await store.add(owed.batches, foldSeries(owed.groups));
      owed = createOwed();
      if (added === "refused") onFailed(new Error(LEFT_OUT));
    } finally {
      const tookMs = clock.elapsedMs() - beganMs;
      addDueMs = beganMs + Math.min(LONGEST_OWED_MS, tookMs * ADD_SHARE);
      fewDueMs = beganMs + tookMs + FEW_OWED_MS;
    }
  }

  async function adopt(): Promise<void> {
    adoptDueMs = clock.elapsedMs() + ADOPT_EVERY_MS;
    let adopted = await store.adopt();
    while (adopted === "added") adopted = await store.adopt();
    if (adopted === "refused") onFailed(new Error(LEFT_OUT));
  }

  return {
    owe: (batch) => {
      if (owed.groups.size() > GROUPS_MOST) owed = createOwed();
      owed.batches.push(batch.name);
      owed.groups.takeOver(batch.groups);
    },
    addAll,
    addDue: async () => {
      const dueMs = owed.groups.size() > FEW_GROUPS ? addDueMs : Math.min(addDueMs, fewDueMs);
      if (clock.elapsedMs() >= dueMs) await addAll();
      if (clock.elapsedMs() >= adoptDueMs) await adopt();
    },
  };
}

const createOwed = () => ({ batches: [] as string[], groups: createRequestGroups() });
