import { formatAmount, type Unit } from "../core/amount.ts";

/** What charges add up to. `current` counts only those of the newest period among them. */
export type ChargeSum = {
  charges: bigint;
  amount: bigint;
  periodNo: bigint;
  current: bigint;
  requests: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
};

/** A balance beside everything in the books that it must follow from, all read at one instant. */
export type AccountRow = {
  keyId: string;
  unit: Unit;
  posted: bigint;
  held: bigint;
  olderHeld: bigint;
  purchased: bigint;
  used: bigint;
  budget: bigint;
  periodNo: bigint;
  requests: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
  version: bigint;
  keyVersion: bigint | null;
  holds: bigint;
  holdSum: bigint;
  olderHoldSum: bigint;
  fundings: bigint;
  /** Fundings that have a number, and the last number given. */
  numbered: bigint;
  lastNumber: bigint;
  paidIn: bigint;
  refundedNow: bigint;
  resets: bigint;
  lastBudget: bigint;
  /** Charges that were undone whole; they and what was refunded of them count no more. */
  undoneAmount: bigint;
  undoneRefunded: bigint;
  undoneRequests: bigint;
  undoneInputTokens: bigint;
  undoneOutputTokens: bigint;
};

/** One figure that is not what the books say. Amounts are in the key's unit, as text. */
export type Mismatch = { keyId: string; column: string; expected: string; found: string };

/** Holds a balance against the fold of its journal: I1, I2 and I7 of one key. */
export function mismatchesOf(row: AccountRow, sum: ChargeSum): Mismatch[] {
  const current = sum.periodNo === row.periodNo ? sum.current : 0n;
  const credit = row.unit === "credit";
  const used = credit ? sum.amount - row.undoneAmount : current - row.refundedNow;
  const paidIn = row.paidIn - row.undoneRefunded;
  const unspent = row.lastBudget - used + row.olderHoldSum;
  const posted = credit ? paidIn - used : unspent > row.holdSum ? unspent : row.holdSum;

  const amounts: Comparison[] = [
    ["posted", posted, row.posted],
    ["held", row.holdSum, row.held],
    ["older_held", row.olderHoldSum, row.olderHeld],
    ["purchased", credit ? paidIn : 0n, row.purchased],
    ["used", used, row.used],
    ["budget", row.lastBudget, row.budget],
  ];
  const counts: Comparison[] = [
    ["period_no", row.resets, row.periodNo],
    ["fundings", row.numbered, row.lastNumber],
    ["requests", sum.requests - row.undoneRequests, row.requests],
    ["tokens_in", sum.inputTokens - row.undoneInputTokens, row.inputTokens],
    ["tokens_out", sum.outputTokens - row.undoneOutputTokens, row.outputTokens],
    ["version", row.keyVersion ?? row.version, row.version],
  ];
  const different = (comparisons: Comparison[], write: (value: bigint) => string): Mismatch[] =>
    comparisons
      .filter(([, expected, found]) => expected !== found)
      .map(([column, expected, found]) => ({
        keyId: row.keyId,
        column: `balance.${column}`,
        expected: write(expected),
        found: write(found),
      }));
  return [...different(amounts, (value) => formatAmount(row.unit, value)), ...different(counts, String)];
}

type Comparison = [column: string, expected: bigint, found: bigint];

export const NO_CHARGES: ChargeSum = {
  charges: 0n,
  amount: 0n,
  periodNo: -1n,
  current: 0n,
  requests: 0n,
  inputTokens: 0n,
  outputTokens: 0n,
};

export function addSums(one: ChargeSum, other: ChargeSum): ChargeSum {
  const [newer, older] = one.periodNo > other.periodNo ? [one, other] : [other, one];
  return {
    charges: one.charges + other.charges,
    amount: one.amount + other.amount,
    periodNo: newer.periodNo,
    current: newer.current + (older.periodNo === newer.periodNo ? older.current : 0n),
    requests: one.requests + other.requests,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}
