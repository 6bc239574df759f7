import { type Amounts, isWithin, type Unit } from "../../core/money/amount.ts";
import type { BudgetPeriod } from "../../core/money/budget-period.ts";
import type { CounterKind } from "../../core/money/counter.ts";
import { invariant } from "../../core/invariant.ts";
import { inOrder } from "./in-order.ts";
import type { Ask, BatchVerdict, Lack, Settled, Settlement } from "../ledger.ts";

/**
 * One row of a turn's answer; the columns that its verdict does not use are null. At place 0, `credits` says how many requests
 * got what they asked for.
 */
export type AnswerRow = {
  /** Of a settlement, or of a request that wants to start. */
  part: "s" | "a";
  place: number;
  verdict: Settled["kind"] | "over_cap" | BatchVerdict["kind"] | "rate";
  credits: bigint | null;
  tokens: bigint | null;
  retry_after_ms: bigint | null;
  posted_credits: bigint | null;
  posted_tokens: bigint | null;
  free_credits: bigint | null;
  free_tokens: bigint | null;
  counter: number | null;
  posted: bigint | null;
  free: bigint | null;
  amount: bigint | null;
  unit: Unit | null;
  kind: CounterKind | null;
  period: BudgetPeriod | null;
  renews_at: Date | null;
  holder: string | null;
};

export function settledOf(rows: readonly AnswerRow[], settlements: readonly Settlement[]): Settled[] {
  const settled = inOrder(
    rows.filter(({ verdict }) => verdict !== "over_cap"),
    settlements,
    {
      rest: ({ credits }) => credits,
      each: ({ verdict, credits, tokens }): Settled => {
        if (verdict === "fenced") return { kind: "fenced" };
        invariant(verdict === "settled" || verdict === "already", "a settlement is settled or was");
        return { kind: verdict, charged: { credits, tokens } };
      },
      common: ({ price }): Settled => ({ kind: "settled", charged: price }),
    },
  );
  for (const [index, { price, waived }] of settlements.entries()) {
    const end = settled[index];
    if (end?.kind !== "settled") continue;
    const most = { credits: sumOf(price.credits, waived.credits), tokens: sumOf(price.tokens, waived.tokens) };
    invariant(isWithin(end.charged, most), "the ledger charges no more than the price and what was waived");
  }
  for (const { verdict, place } of rows) {
    const over = verdict === "over_cap" ? settled[place - 1] : undefined;
    if (over?.kind === "settled") over.overCap = true;
  }
  return settled;
}

const sumOf = (one: bigint | null, other: bigint | null): bigint => (one ?? 0n) + (other ?? 0n);

export function verdictsOf(rows: readonly AnswerRow[], asks: readonly Ask[]): BatchVerdict[] {
  const verdicts = inOrder(
    rows.filter(({ verdict }) => verdict !== "rate"),
    asks,
    {
      rest: ({ credits }) => credits,
      each: verdictOf,
      common: ({ most }): BatchVerdict => ({ kind: "admitted", granted: most }),
    },
  );
  for (const [index, { least, most }] of asks.entries()) {
    const verdict = verdicts[index];
    if (verdict?.kind === "admitted") requireBetween(least, verdict.granted, most);
  }
  return withRates(
    verdicts,
    asks,
    rows.filter(({ verdict }) => verdict === "rate"),
  );
}

function requireBetween(least: Amounts, granted: Amounts, most: Amounts): void {
  invariant(isWithin(least, granted) && isWithin(granted, most), "the ledger reserves from the least up to the most");
}

/** Every request of a key with a limit of requests hears what its batch left of it. */
function withRates(verdicts: BatchVerdict[], asks: readonly Ask[], rows: readonly AnswerRow[]): BatchVerdict[] {
  if (rows.length === 0) return verdicts;
  const rates = new Map(rows.map((row) => [asks[row.place - 1]?.keyId, row]));
  for (const [index, { keyId, rpmLimit }] of asks.entries()) {
    const [row, verdict] = [rates.get(keyId), verdicts[index]];
    if (row === undefined || verdict === undefined || rpmLimit === null) continue;
    const remaining = Math.max(0, rpmLimit - Number(row.credits));
    verdict.rate = { limit: rpmLimit, remaining, resetMs: Number(row.retry_after_ms) };
  }
  return verdicts;
}

function verdictOf(row: AnswerRow): BatchVerdict {
  const { verdict, credits, tokens } = row;
  switch (verdict) {
    case "admitted":
    case "already":
      return { kind: verdict, granted: { credits, tokens } };
    case "rate_limited":
      return { kind: verdict, retryAfterMs: Number(known(row.retry_after_ms)) };
    case "in_progress":
      return { kind: verdict, retryAfterMs: Number(row.retry_after_ms ?? 0) };
    case "insufficient":
    case "reserved":
    case "limit_reached":
      return { kind: verdict, ...lackOf(row) };
    case "key_reuse":
    case "replay":
    case "replay_unavailable":
    case "stream_interrupted":
      return { kind: verdict };
    // With a counter it is no matter of the key. Gateways of earlier versions, which know of no such verdict, ask again, and then answer with 503.
    case "stale_key":
      if (row.counter === null) return { kind: verdict };
      return { kind: "not_begun", counter: row.counter, beginsAtMs: known(row.renews_at).getTime() };
    case "settled":
    case "fenced":
    case "over_cap":
    case "rate":
    case "not_begun":
    default:
      throw new Error(`the ledger answered a request with ${verdict}`);
  }
}

const lackOf = (row: AnswerRow): Lack => ({
  posted: { credits: row.posted_credits, tokens: row.posted_tokens },
  available: { credits: row.free_credits, tokens: row.free_tokens },
  named: {
    id: known(row.counter),
    kind: known(row.kind),
    unit: known(row.unit),
    posted: known(row.posted),
    available: known(row.free),
    amount: known(row.amount),
    period: known(row.period),
    renewsAtMs: row.renews_at?.getTime() ?? null,
    holder: row.holder,
  },
});

function known<Value>(value: Value | null): Value {
  invariant(value !== null, "the ledger says what its verdict needs");
  return value;
}
