/**
 * What can go wrong with money without being a caller's fault or loss: a usage that we had to estimate, a charge beyond what its
 * key could pay, a usage that has no price, an answer that was served otherwise than is charged, an answer for which its provider says that it bills more than was charged, a key that was suspended for what it made the house pay, a release or settlement
 * given up, a hold that cannot be ended, and a period that a wrong clock began.
 */
export type MoneyAlarmKind =
  | "usage_estimated"
  | "overrun"
  | "unpriced_usage"
  | "served_otherwise"
  | "billed_more"
  | "key_suspended"
  | "release_lost"
  | "hold_quarantined"
  | "period_ahead";

/** What comes from a model and its provider, and so can be accepted for one model. The others are a key's, a process's or the ledger's. */
export const ACCEPTABLE_ALARMS = [
  "usage_estimated",
  "overrun",
  "unpriced_usage",
  "served_otherwise",
  "billed_more",
] as const satisfies readonly MoneyAlarmKind[];

export type AcceptableAlarm = (typeof ACCEPTABLE_ALARMS)[number];

/** An operator knows that a model raises alarms of this kind and wants no alert for them. */
export type AcceptedAlarm = {
  kind: AcceptableAlarm;
  reason: string;
  /** Who accepted it. */
  actor: string;
  acceptedAtMs: number;
  /** Alarms alert again from then on; null: it holds until it is withdrawn. */
  untilMs: number | null;
};

export type MoneyAlarm = {
  kind: MoneyAlarmKind;
  keyId: string;
  requestId: string;
  model: string;
  /** Of a usage that has no price, what it was, as the catalogue file names it; of an answer that was served otherwise, as what; of one that is billed more, how much. */
  part?: string;
  /** Of a period that has not begun, whose. */
  counter?: number;
};
