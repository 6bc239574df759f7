import type { Holds } from "./journal/journal-cell.ts";

/** What a line of the comparison comes to, and whether it is an agreement, a difference, or neither. */
export const VERDICTS = {
  agrees: "agreement",
  boundary: "agreement",
  unit: "difference",
  estimated: "difference",
  "estimated+unrecorded": "difference",
  unrecorded: "difference",
  overestimated: "difference",
  incomplete: "difference",
  attempts: "difference",
  "missing-step": "difference",
  "missing-region": "difference",
  "missing-tier": "difference",
  "missing-part": "difference",
  money: "difference",
  "exports-differ": "difference",
  unmapped: "question",
  "not-covered": "question",
  "not-compared": "question",
} as const satisfies Record<string, "agreement" | "difference" | "question">;

export type BillVerdict = keyof typeof VERDICTS;

/** A line of the comparison. What is null is of all, or is not known. */
export type BillFinding = {
  provider: string;
  credential: string | null;
  model: string | null;
  tier: string | null;
  region: string | null;
  /** `all`: every kind; `money`: what was asked for all of them. */
  kind: string;
  journal: string | null;
  export: string | null;
  /** What the export has more than the journal. */
  difference: string | null;
  exportUsd: string | null;
  differenceUsd: string | null;
  verdict: BillVerdict;
  why: string;
  /** The line that the map lacks. */
  add: string | null;
  exports: readonly string[];
  /** The requests behind it, those that explain it first. */
  requests: Holds;
};

const NOTHING: Holds = Object.freeze({ count: 0, ids: [] });

export const findingOf = (
  said: Pick<BillFinding, "provider" | "kind" | "verdict" | "why" | "exports"> & Partial<BillFinding>,
): BillFinding => ({
  credential: null,
  model: null,
  tier: null,
  region: null,
  journal: null,
  export: null,
  difference: null,
  exportUsd: null,
  differenceUsd: null,
  add: null,
  requests: NOTHING,
  ...said,
});
