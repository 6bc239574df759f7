import type { Check, Evidence, Finding } from "./evidence.ts";
import { balancesAreTheFold, heldIsCovered, nothingHeld, nothingMadeOrLost } from "./money-checks.ts";
import { chargedOnce, incompleteWithinBounds, paidBeforeTold, replaysAreEqual } from "./request-checks.ts";
import { rateIsKept, verdictsAreTrue } from "./verdict-checks.ts";

/** By their names in docs/reference/ledger-rules.md. I11 is asked of a running gateway, not of what it left behind. */
export const INVARIANTS = {
  I1: nothingMadeOrLost,
  I2: heldIsCovered,
  I3: paidBeforeTold,
  I4: chargedOnce,
  I5: incompleteWithinBounds,
  I6: nothingHeld,
  I7: balancesAreTheFold,
  I8: verdictsAreTrue,
  I9: replaysAreEqual,
  I10: rateIsKept,
} satisfies Record<string, Check>;

export type InvariantName = keyof typeof INVARIANTS;

export const examine = (evidence: Evidence): Record<InvariantName, Finding> =>
  Object.fromEntries(Object.entries(INVARIANTS).map(([name, check]) => [name, check(evidence)])) as Record<
    InvariantName,
    Finding
  >;

/** All violations with the name of the invariant in front. */
export const violationsOf = (findings: Record<InvariantName, Finding>): string[] =>
  Object.entries(findings).flatMap(([name, { violations }]) => violations.map((violation) => `${name} ${violation}`));

/** One line of figures: what each invariant looked at. */
export const countsOf = (findings: Record<InvariantName, Finding>): string =>
  Object.entries(findings)
    .map(([name, { counted }]) => `${name} ${counted}`)
    .join(", ");
