import type { ClientDialect, ProviderDialect } from "../core/request/dialect.ts";
import type { Figures } from "./judge.ts";

export type TrialOutcome = "passed" | "failed" | "not_applicable";

export type TrialReport = {
  id: string;
  title: string;
  client: ClientDialect | null;
  outcome: TrialOutcome;
  /** Why it failed, or why it does not apply. */
  reasons: readonly string[];
  notes: readonly string[];
  calls: number;
  chargedNano: bigint;
  firstByteMs: number | null;
};

export type SubjectReport = {
  modelId: string;
  upstreamModel: string;
  dialect: ProviderDialect;
  conformant: boolean;
  trials: readonly TrialReport[];
  /** Of the answers whose usage could be compared. */
  figures: readonly Figures[];
};

/** Everything that a run found out. */
export type Certificate = {
  provider: string;
  /** The host where anybody finds the provider; null where it is the operator's own. */
  host: string | null;
  version: string;
  atMs: number;
  tookMs: number;
  spendNano: bigint;
  boundNano: bigint;
  chargedNano: bigint;
  /** What the provider may have billed at most, cancelled and broken calls counted in full. */
  billedAtMostNano: bigint;
  /** Why the run ended early; null when it did not. */
  stopped: string | null;
  subjects: readonly SubjectReport[];
};

export const outcomesOf = ({ subjects }: Pick<Certificate, "subjects">): Record<TrialOutcome, number> => {
  const all = subjects.flatMap(({ trials }) => trials);
  const count = (outcome: TrialOutcome): number => all.filter((trial) => trial.outcome === outcome).length;
  return { passed: count("passed"), failed: count("failed"), not_applicable: count("not_applicable") };
};
