import type { Amounts } from "../../src/core/money/amount.ts";

const NOTHING: Amounts = { credits: 0n, tokens: 0n };

/** A settlement of which the house bears nothing, under a cap that nothing reaches. */
export const NOTHING_BORNE = {
  absorbed: NOTHING,
  waived: NOTHING,
  capPerHour: 10n ** 18n,
  accountCapPerHour: 10n ** 18n,
} as const;
