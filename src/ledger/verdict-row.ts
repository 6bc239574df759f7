import { invariant } from "../core/invariant.ts";
import type { BatchVerdict } from "./ledger.ts";

/** A verdict as the database says it: the columns that its kind does not use are null. */
export type VerdictRow = {
  place: number;
  verdict: BatchVerdict["kind"];
  amount: bigint | null;
  posted: bigint | null;
  held: bigint | null;
  retry_after_ms: bigint | null;
  period_ends_at: Date | null;
};

export function verdictOf(row: VerdictRow): BatchVerdict {
  switch (row.verdict) {
    case "admitted":
    case "already":
      return { kind: row.verdict, amount: known(row.amount) };
    case "rate_limited":
      return { kind: row.verdict, retryAfterMs: Number(known(row.retry_after_ms)) };
    case "insufficient":
    case "reserved":
      return { kind: row.verdict, posted: known(row.posted), held: known(row.held) };
    case "limit_reached":
      return { kind: row.verdict, periodEndsAtMs: row.period_ends_at?.getTime() ?? null };
    case "in_progress":
    case "key_reuse":
    case "replay":
    case "replay_unavailable":
    case "stream_interrupted":
    case "stale_key":
    default:
      return { kind: row.verdict };
  }
}

function known<Value>(value: Value | null): Value {
  invariant(value !== null, "the ledger says what its verdict needs");
  return value;
}
