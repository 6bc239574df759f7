import { type Unit, UNITS } from "./amount.ts";
import { matchesGlob } from "../text/matches-glob.ts";

export const COUNTER_KINDS = ["purse", "limit"] as const;

/** A purse is prepaid and never renews; a limit is an amount per period. */
export type CounterKind = (typeof COUNTER_KINDS)[number];

/** The counters that a request must satisfy beside its key's own: the number of the chain, and those it has above the key. */
export type ChainRef = { id: number; counters: readonly number[] };

/** The chain of a key for a model that every limit matches. */
export type KeyChain = {
  id: number;
  /** The unit of the key's own counter; null: it has none. */
  own: Unit | null;
  counters: readonly ChainCounter[];
};

/** `models`: patterns of the models whose requests it counts; null: all. */
export type ChainCounter = { id: number; unit: Unit; models: readonly string[] | null };

/** The counters of a chain, beside the key's own, that a request for this model counts in. */
export const countersFor = ({ counters }: KeyChain, model: string): ChainCounter[] =>
  counters.filter(({ models }) => models === null || models.some((pattern) => matchesGlob(model, pattern)));

/** What requests for this model are counted in. Where no limit names models, that is found once for the chain. */
export function unitsFor(chain: KeyChain, model: string): readonly Unit[] {
  const known = UNITS_OF_ALL.get(chain);
  if (known !== undefined) return known;
  const counted = countersFor(chain, model);
  const units = UNITS.filter((unit) => chain.own === unit || counted.some((counter) => counter.unit === unit));
  if (countsAlike(chain)) UNITS_OF_ALL.set(chain, units);
  return units;
}

const UNITS_OF_ALL = new WeakMap<KeyChain, readonly Unit[]>();

/** Whether requests for every model count in the same counters. */
export const countsAlike = ({ counters }: KeyChain): boolean => counters.every(({ models }) => models === null);
