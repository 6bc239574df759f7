/** What a process does for the ledger beside serving requests. */
export type Duty = "lease" | "sweep" | "checkpoint" | "rollup" | "partition";

/** Every duty, in an order that a table can use; the type makes sure that none is left out. */
export const DUTIES = Object.keys({
  lease: true,
  sweep: true,
  checkpoint: true,
  rollup: true,
  partition: true,
} satisfies Record<Duty, true>) as Duty[];
