import type { VerificationState } from "./days/verified-day.ts";
import type { Mismatch } from "./verify-fold.ts";
import type { VerifyReport } from "./verify.ts";

/** A verification that has ended: who asked for it, what it read, and how many figures differ. */
export type Verification = Omit<VerifyReport, "ok" | "mismatches"> & {
  id: string;
  startedAtMs: number;
  tookMs: number;
  actor: string;
  /** Null: the whole ledger. */
  keyId: string | null;
  recompute: boolean;
  mismatches: number;
};

export type VerificationStore = {
  /** `not_allowed`: whoever verifies may only read, which is enough for it. */
  keep: (verification: Verification) => Promise<"kept" | "not_allowed">;
  /** Newest first; the last of the whole ledger beside them, however long ago it was. */
  recent: (limit: number) => Promise<{ whole: Verification | null; recent: readonly Verification[] }>;
};

/** A day of charges, as gateways verified it last; 2026-01-05. */
export type ListedDay = {
  day: string;
  /** How many charges are in the digest. */
  charges: number;
  /** Null: no look at it has ended. */
  digest: string | null;
  lookedAtMs: number | null;
  tookMs: number;
  mismatches: number;
  inProgress: boolean;
  /** The first of them. */
  found: readonly Mismatch[];
};

/** What gateways verify by themselves. `found` are mismatches of the balances; the newest days are listed, and all that differ. */
export type Continuous = VerificationState & { listed: readonly ListedDay[] };
