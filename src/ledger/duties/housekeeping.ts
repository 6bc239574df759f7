import type { Clock } from "../../core/clock.ts";
import { repeat, type Repetition } from "./repeat.ts";

/** Whether this process keeps house, by the database's word and clock. */
export type HouseDuty = { mine: boolean; nowMs: number };

/** `busy`: another process is at it. `occupied`: requests of that day already lie where days without a partition go. */
export type Partitioned = "made" | "present" | "occupied" | "busy";

export type HousekeepingStore = {
  duty: (processId: string) => Promise<HouseDuty>;
  /** Hours that ended and are to be added up once more, so many at most. The database keeps them until they are right. */
  owed: (limit: number) => Promise<number[]>;
  /** Adds up the charges of the hour that begins then. */
  rollup: (hourMs: number) => Promise<"done" | "busy">;
  /** Gives the day that begins then a place of its own for its charges. */
  partition: (dayMs: number) => Promise<Partitioned>;
  /** Lets some keys learn of a change above them. Answers whether some had yet to. */
  rechain: () => Promise<boolean>;
};

type HousekeepingOptions = {
  store: HousekeepingStore;
  processId: string;
  clock: Pick<Clock, "elapsedMs">;
  everyMs?: number;
  onPartitioned: (day: string, partitioned: Partitioned) => void;
  onRolledUp: () => void;
  onRechained: () => void;
  onFailed: (duty: "rollup" | "partition" | "rechain", error: unknown) => void;
};

export type Housekeeping = Repetition & {
  /** Resolves when the first turn has seen to the partitions, so that the first request finds them. Never rejects. */
  prepared: Promise<void>;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Today, if nothing happened yet, and two days ahead: a day is prepared before its first request comes. */
const DAYS = [0, 1, 2];
const PACE_MS = 300_000;
/** The hour in progress is added up anew each time, so the longer that takes, the rarer: at most a fiftieth of the time. */
const PACE_SHARE = 50;
const HOURS_OWED = 168;
const HOURS_AT_ONCE = 24;
/** No further hour is begun after this long, so that the one in progress gets its turn. */
const HOURS_WITHIN_MS = 60_000;

/** Sums and partitions, kept by one process at a time: the oldest that lives. Nothing a request waits for depends on them. */
export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { store, processId, clock, everyMs = 30_000, onRolledUp, onFailed } = options;
  const prepared = Promise.withResolvers<void>();
  const partitionDays = createPartitionDays(options);
  /** Hours that could not be added up, the latest last: an hour that always fails must not keep back others. */
  let failing: number[] = [];
  let rollupDueMs = Number.NEGATIVE_INFINITY;

  async function turn(): Promise<void> {
    try {
      const duty = await store.duty(processId);
      if (!duty.mine) return;
      await partitionDays(duty.nowMs);
      prepared.resolve();
      await rechainKeys(options);
      if (clock.elapsedMs() >= rollupDueMs) await rollUp(duty.nowMs);
    } catch (error) {
      onFailed("rollup", error);
    } finally {
      prepared.resolve();
    }
  }

  /** The hours that are owed, and the one in progress. One that fails stays owed and does not keep back the others. */
  async function rollUp(nowMs: number): Promise<void> {
    const beganMs = clock.elapsedMs();
    const owed = await store.owed(HOURS_OWED);
    failing = failing.filter((ms) => owed.includes(ms));
    const before = failing;
    const hours = [...owed.filter((ms) => !before.includes(ms)), ...before].slice(0, HOURS_AT_ONCE);
    let failed = false;
    const addUp = async (hourMs: number): Promise<void> => {
      try {
        await store.rollup(hourMs);
      } catch (error) {
        failed = true;
        onFailed("rollup", error);
        failing = [...failing.filter((ms) => ms !== hourMs), hourMs];
      }
    };
    for (const hourMs of hours) if (clock.elapsedMs() - beganMs < HOURS_WITHIN_MS) await addUp(hourMs);
    await addUp(floor(nowMs, HOUR_MS));
    if (!failed) onRolledUp();
    rollupDueMs = beganMs + Math.max(PACE_MS, (clock.elapsedMs() - beganMs) * PACE_SHARE);
  }

  return { ...repeat({ everyMs, clock, turn }), prepared: prepared.promise };
}

/** Gives the next days their partitions, each once. */
function createPartitionDays({ store, clock, onPartitioned, onFailed }: HousekeepingOptions) {
  const days = new Set<number>();
  let dueMs = Number.NEGATIVE_INFINITY;

  return async (nowMs: number): Promise<void> => {
    if (clock.elapsedMs() < dueMs) return;
    const todayMs = floor(nowMs, DAY_MS);
    for (const ms of days) if (ms < todayMs) days.delete(ms);
    try {
      for (const dayMs of DAYS.map((ahead) => todayMs + ahead * DAY_MS)) {
        if (days.has(dayMs)) continue;
        const partitioned = await store.partition(dayMs);
        if (partitioned !== "busy") days.add(dayMs);
        onPartitioned(new Date(dayMs).toISOString().slice(0, 10), partitioned);
      }
    } catch (error) {
      // Each try may hold up settles for a moment, so the next is not made at once.
      dueMs = clock.elapsedMs() + PACE_MS;
      onFailed("partition", error);
    }
  };
}

const floor = (ms: number, unitMs: number): number => ms - (ms % unitMs);

/** Whoever changed something above many keys tells all of them, unless it died meanwhile. */
async function rechainKeys({ store, onRechained, onFailed }: HousekeepingOptions): Promise<void> {
  try {
    while (await store.rechain());
    onRechained();
  } catch (error) {
    onFailed("rechain", error);
  }
}
