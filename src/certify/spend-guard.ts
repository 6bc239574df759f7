import { chargeOf } from "../core/money/pay-rate.ts";
import type { ProviderExchange } from "./exchange.ts";
import { reportedUsage } from "./reported-usage.ts";
import type { Subject } from "./trial.ts";

/** The run must end: the next call could exceed what may be spent, or the provider keeps to no limit. */
export class SpendReached extends Error {
  override readonly name = "SpendReached";
}

/** A sole route that breaks before it answers is asked once more, so that one question may be paid twice. */
const MOST_ATTEMPTS = 2n;

export type SpendGuard = {
  /** Throws unless the call fits into what is left, at the most it can cost. */
  reserve: (boundNano: bigint) => void;
  /** Counts what the calls of one question may have cost at the provider. */
  settle: (subject: Subject, exchanges: readonly ProviderExchange[], boundNano: bigint) => void;
  billedAtMostNano: () => bigint;
};

/** What suffices for calls of these bounds. */
export const sufficientFor = (bounds: readonly bigint[]): bigint =>
  bounds.reduce((sum, bound) => sum + bound, 0n) + bounds.reduce((most, bound) => (bound > most ? bound : most), 0n);

/**
 * Counts on the side of the provider, beside the ledger, which counts on the client's: a call that was cut or broke off may have been
 * billed in full, though its client paid little.
 */
export function createSpendGuard(spendNano: bigint): SpendGuard {
  let billed = 0n;
  return {
    billedAtMostNano: () => billed,
    reserve: (boundNano) => {
      if (billed + MOST_ATTEMPTS * boundNano > spendNano)
        throw new SpendReached("The next trial could exceed the spend.");
    },
    settle: (subject, exchanges, boundNano) => {
      for (const exchange of exchanges) {
        const cost = costOf(subject, exchange, boundNano);
        billed += cost;
        if (cost > boundNano)
          throw new SpendReached(
            "The provider reports more tokens than it was allowed to use, so its cost has no bound.",
          );
      }
    },
  };
}

/** An error costs nothing; what is not told to its end may have cost everything. */
function costOf(subject: Subject, { status, end, text }: ProviderExchange, boundNano: bigint): bigint {
  if (status !== null && status !== 200) return 0n;
  const { usage } = end === "complete" ? reportedUsage(subject, text) : { usage: null };
  if (usage === null) return boundNano;
  const costs = [false, true].map((peak) => chargeOf(subject.tariff, usage, undefined, peak));
  return costs.reduce((one, other) => (one > other ? one : other), 0n);
}
