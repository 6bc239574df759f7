/** How much of the journal lies where. `rows` of a day's own partition is the server's estimate; that of the others is counted. */
export type JournalDay = { day: string; place: "own" | "default"; charges: number; usageRecords: number };

export type JournalDays = {
  days: JournalDay[];
  /** Rows in the default partitions, whatever day they are of. */
  defaultCharges: number;
  defaultUsageRecords: number;
};

export type RepairStep =
  | { kind: "copied"; table: string; rows: number }
  /** Somebody is reading or writing the journal, and the lock is tried again. */
  | { kind: "waiting"; tries: number };

export type RepairedDay = {
  day: string;
  /** `present`: the day had its partitions already. `made`: nothing of it lay in the default partition. */
  result: "moved" | "made" | "present";
  charges: number;
  usageRecords: number;
  /** How long requests could not be admitted or settled. */
  lockedMs: number;
};

export type Partitions = {
  list: () => Promise<JournalDays>;
  /**
   * Moves the charges and records of a day (UTC, yyyy-mm-dd) out of the default partition into partitions of their own. A conflict
   * says why it cannot be done now; nothing has moved then.
   */
  repair: (day: string, onStep: (step: RepairStep) => void | Promise<void>) => Promise<RepairedDay>;
};
