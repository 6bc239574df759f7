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
