/** How much of the journal lies where. `rows` of a day's own partition is the server's estimate; that of the others is counted. */
export type PartitionView = { day: string; place: "own" | "default"; charges: number; usage_records: number };

export type PartitionsView = {
  days: PartitionView[];
  /** Rows in the default partitions, whatever day they are of. */
  default_charges: number;
  default_usage_records: number;
};

export type RepairStep =
  | { kind: "copied"; table: string; rows: number }
  /** Somebody is reading or writing the journal, and the lock is tried again. */
  | { kind: "waiting"; tries: number };

export type RepairedView = {
  day: string;
  /** `present`: the day had its partitions already. `made`: nothing of it lay in the default partition. */
  result: "moved" | "made" | "present";
  charges: number;
  usage_records: number;
  /** How long requests could not be admitted or settled. */
  locked_ms: number;
};

export type Partitions = {
  list: () => Promise<PartitionsView>;
  /**
   * Moves the charges and records of a day (UTC, yyyy-mm-dd) out of the default partition into partitions of their own. A conflict
   * says why it cannot be done now; nothing has moved then.
   */
  repair: (day: string, onStep: (step: RepairStep) => void | Promise<void>) => Promise<RepairedView>;
};
