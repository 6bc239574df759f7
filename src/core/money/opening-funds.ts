import type { BudgetPeriod } from "./budget-period.ts";
import type { NanoCredits } from "./money.ts";

/** What a new key starts with. */
export type OpeningFunds =
  | { kind: "credit"; amount: NanoCredits }
  | { kind: "budget"; tokens: bigint; period: BudgetPeriod };

/** What they are booked under: made from the key, so that there can be one such entry and no second. */
export const openingReference = (keyId: string): string => `create:${keyId}`;
