/** What a process does for the ledger beside serving requests. */
export type Duty =
  | "lease"
  | "sweep"
  | "checkpoint"
  | "rollup"
  | "partition"
  | "rechain"
  | "notices"
  | "records"
  | "verify"
  | "prices";
