/** How much of the journal lies where. What a day's own partition has is the server's estimate; the others are counted. */
export type JournalDay = { day: string; place: "own" | "default"; charges: number };

export type JournalDays = {
  days: JournalDay[];
  /** Rows in the default partition, whatever day they are of. */
  defaultCharges: number;
};

export type RepairStep =
  | { kind: "copied"; rows: number }
  /** Somebody is reading or writing the journal, and the lock is tried again. */
  | { kind: "waiting"; tries: number };

export type RepairedDay = {
  day: string;
  /** `present`: the day had its partition already. `made`: nothing of it lay in the default partition. */
  result: "moved" | "made" | "present";
  charges: number;
  /** How long requests could not be admitted or settled. */
  lockedMs: number;
};

export type Partitions = {
  list: () => Promise<JournalDays>;
  /**
   * Moves the charges of a day (UTC, yyyy-mm-dd) out of the default partition into one of their own. A conflict
   * says why it cannot be done now; nothing has moved then.
   */
  repair: (day: string, onStep: (step: RepairStep) => void | Promise<void>) => Promise<RepairedDay>;
};
