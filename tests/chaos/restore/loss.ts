import type { ClientEntry, LedgerState } from "../ledger/evidence.ts";

export type Loss = {
  /** Charges that one server's journal has and the other's has not, or has for less. */
  charges: number;
  /** Of keys on credit, in nano-credits; of keys on a budget, in tokens. */
  credit: bigint;
  tokens: bigint;
  /** Those whose callers had the whole answer. */
  acknowledged: number;
  /** Charges that only the later journal has. */
  invented: number;
  holdIds: ReadonlySet<string>;
};

/** What stood in the books and does not any more. A hold whose end was lost may have been ended again since, for less. */
export function lossBetween(before: LedgerState, after: LedgerState, clients: readonly ClientEntry[]): Loss {
  const kept = new Map(after.charges.map(({ holdId, amount }) => [holdId, amount]));
  const had = new Set(before.charges.map(({ holdId }) => holdId));
  const missing = (charge: { holdId: string; amount: bigint }): bigint =>
    charge.amount - (kept.get(charge.holdId) ?? 0n);
  const lost = before.charges.filter((charge) => !kept.has(charge.holdId) || missing(charge) > 0n);
  const holdIds = new Set(lost.map(({ holdId }) => holdId));
  const onCredit = new Set(before.balances.filter(({ unit }) => unit === "credit").map(({ keyId }) => keyId));
  const sum = (wanted: boolean): bigint =>
    lost.reduce((total, charge) => (onCredit.has(charge.keyId) === wanted ? total + missing(charge) : total), 0n);
  return {
    charges: lost.length,
    credit: sum(true),
    tokens: sum(false),
    acknowledged: clients.filter(
      ({ holdId, terminalAtMs, replayed }) =>
        terminalAtMs !== null && !replayed && holdId !== null && holdIds.has(holdId),
    ).length,
    invented: after.charges.filter(({ holdId }) => !had.has(holdId)).length,
    holdIds,
  };
}

export const tellLoss = ({ charges, credit, tokens, acknowledged }: Loss): string =>
  `${charges} charges lost (${acknowledged} of whole answers): ${credits(credit)} credits and ${tokens} tokens`;

export const credits = (nano: bigint): string => (Number(nano) / 1e9).toFixed(6);
