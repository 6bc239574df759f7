import type { Unit } from "../core/money/amount.ts";
import type { CounterSummary, NamedCounter } from "../ledger/ledger.ts";

/** Counters that every request of a key counts in, whatever its model. */
const forAllModels = (counters: readonly CounterSummary[]): CounterSummary[] =>
  counters.filter(({ models }) => models === null);

const availableIn = ({ posted, held }: CounterSummary): bigint => posted - held;

/** The one with the least available among those of a unit: more than it has, nobody gets. Null: there is none. */
export const bindingOf = (counters: readonly CounterSummary[], unit: Unit): CounterSummary | null =>
  forAllModels(counters)
    .filter((counter) => counter.unit === unit)
    .reduce<CounterSummary | null>(
      (least, counter) => (least === null || availableIn(counter) < availableIn(least) ? counter : least),
      null,
    );

/** The counter for all models that has nothing left and renews last, a purse last of all; null: each has some. */
export const emptyOf = (counters: readonly CounterSummary[]): CounterSummary | null =>
  forAllModels(counters)
    .filter(({ posted }) => posted <= 0n)
    .reduce<CounterSummary | null>(
      (last, counter) => (last === null || renewalRank(counter) > renewalRank(last) ? counter : last),
      null,
    );

const renewalRank = ({ kind, renewsAtMs }: CounterSummary): number =>
  kind === "purse" ? Infinity : (renewsAtMs ?? Number.MAX_VALUE);

/** Whether a key has something in the unit of its mode, and lacks nothing that all its requests need. */
export const hasFunds = (counters: readonly CounterSummary[], unit: Unit): boolean =>
  bindingOf(counters, unit) !== null && emptyOf(counters) === null;

/** As a refusal names it. */
export const namedOf = (counter: CounterSummary): NamedCounter => {
  const { id, kind, unit, posted, amount, period, renewsAtMs, holder } = counter;
  return { id, kind, unit, posted, available: availableIn(counter), amount, period, renewsAtMs, holder };
};
