import { invariant } from "../core/invariant.ts";
import type { Ask, BatchVerdict } from "./ledger.ts";

/** A verdict as the database says it: the columns that its kind does not use are null. */
export type VerdictRow = {
  half: "admit";
  place: number;
  result: BatchVerdict["kind"];
  amount: bigint | null;
  posted: bigint | null;
  held: bigint | null;
  retry_after_ms: bigint | null;
  period_ends_at: Date | null;
};

/** One of each key that has a limit, at the place of its first request: what the minute counts, and how long until nothing. */
export type RateRow = { half: "admit"; place: number; result: "rate"; amount: bigint; retry_after_ms: bigint };

export const isVerdict = (row: VerdictRow | RateRow): row is VerdictRow => row.result !== "rate";

/** Every request of a key with a limit hears what its batch left of it. */
export function withRates(
  verdicts: BatchVerdict[],
  asks: readonly Ask[],
  rows: readonly (VerdictRow | RateRow)[],
): BatchVerdict[] {
  const rates = new Map(rows.flatMap((row) => (isVerdict(row) ? [] : [[asks[row.place - 1]?.keyId, row]])));
  if (rates.size === 0) return verdicts;
  for (const [index, { keyId, rpmLimit }] of asks.entries()) {
    const [row, verdict] = [rates.get(keyId), verdicts[index]];
    if (row === undefined || verdict === undefined || rpmLimit === null) continue;
    const remaining = Math.max(0, rpmLimit - Number(row.amount));
    verdict.rate = { limit: rpmLimit, remaining, resetMs: Number(row.retry_after_ms) };
  }
  return verdicts;
}

export function verdictOf(row: VerdictRow): BatchVerdict {
  switch (row.result) {
    case "admitted":
    case "already":
      return { kind: row.result, amount: known(row.amount) };
    case "rate_limited":
      return { kind: row.result, retryAfterMs: Number(known(row.retry_after_ms)) };
    case "insufficient":
    case "reserved":
      return { kind: row.result, posted: known(row.posted), held: known(row.held) };
    case "limit_reached":
      return { kind: row.result, periodEndsAtMs: row.period_ends_at?.getTime() ?? null };
    case "in_progress":
    case "key_reuse":
    case "replay":
    case "replay_unavailable":
    case "stream_interrupted":
    case "stale_key":
    default:
      return { kind: row.result };
  }
}

function known<Value>(value: Value | null): Value {
  invariant(value !== null, "the ledger says what its verdict needs");
  return value;
}
