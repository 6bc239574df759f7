import type { Unit } from "../../core/money/amount.ts";

/** A hold that the sweep could not end, and why. */
export type QuarantinedHold = {
  id: string;
  keyId: string;
  /** What the mode of its key counts in: the amounts are in it. */
  unit: Unit | null;
  amount: bigint;
  cost: bigint;
  model: string;
  admittedAt: Date;
  since: Date;
  /** `since` in microseconds, which a `Date` does not have. */
  sinceUs: bigint;
  /** The SQLSTATE of what refused. */
  code: string;
  reason: string;
};

/** `ended_before`: whoever held it has ended it meanwhile. `refused`: it cannot be ended this way, for the reason given. */
export type Released = {
  result: "charged" | "voided" | "refused" | "ended_before" | "not_quarantined";
  unit: Unit | null;
  charged: bigint | null;
  code: string | null;
  reason: string | null;
};

/** `charge`: at its last checkpoint, as a sweep does. `void`: at 0. */
export type ReleaseEnd = "charge" | "void";

export type QuarantineStore = {
  /** Those that have waited longest, after the one that is named, and how many there are in all, counted up to 10,000. */
  list: (page: {
    limit: number;
    after: { sinceUs: bigint; id: string } | null;
  }) => Promise<{ holds: QuarantinedHold[]; total: number }>;
  release: (id: string, how: { end: ReleaseEnd; actor: string }) => Promise<Released>;
};

const UNIQUE_VIOLATION = "23505";

/** What an operator does about it. */
export function fixFor({ code, reason }: { code: string; reason: string }): string {
  if (code === UNIQUE_VIOLATION && reason.includes("charge"))
    return "The request was charged already. Release it with --void: its reservation is given back, and nothing more is charged.";
  if (reason.includes('relation "balance"'))
    return "The balance of the key is damaged. Run `tollgate ledger verify --key KEY`, set the columns it names to what it expects, and release the request.";
  if (reason.includes('relation "counter"'))
    return "A counter above the key is damaged. Run `tollgate ledger verify`, set the columns it names to what it expects, and release the request.";
  return "Correct what the reason names and release the request. If that is not possible, --void ends it at 0.";
}
