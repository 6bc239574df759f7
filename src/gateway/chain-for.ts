import { type Unit, unitOf } from "../core/money/amount.ts";
import { type ChainRef, countersFor, countsAlike, unitsFor } from "../core/money/counter.ts";
import { Fault } from "../core/fault.ts";
import type { Key } from "../keys/key.ts";
import type { LedgerReads } from "../ledger/ledger.ts";

/** The counters that a request must satisfy, and what they count in. */
export type RequestChain = { ref: ChainRef; units: readonly Unit[] };

/** The chain of a request for a model; null: the key has changed since it was read. */
export type ChainFor = (key: Key, model: string) => RequestChain | Promise<RequestChain | null>;

type Chains = {
  whole: ChainRef;
  /** Of every request, where no limit names models; null where one does. */
  only: RequestChain | null;
  smaller: Map<string, Promise<number | null>>;
};

/**
 * Limits may count requests for some models only, so that a request for others has a smaller chain. The ledger gives each its
 * number; what it said stays with the copy of the key that it was asked for, and goes with it.
 */
export function createChainFor({ ledger }: { ledger: Pick<LedgerReads, "chain"> }): ChainFor {
  const known = new WeakMap<Key, Chains>();

  function chainsOf(key: Key): Chains {
    const found = known.get(key);
    if (found !== undefined) return found;
    const whole = wholeChain(key);
    const only = countsAlike(key.chain) ? { ref: whole, units: unitsFor(key.chain, "") } : null;
    const chains = { whole, only, smaller: new Map() };
    known.set(key, chains);
    return chains;
  }

  function numberOf(
    { id, version, bucket }: Key,
    { smaller }: Chains,
    counters: readonly number[],
  ): Promise<number | null> {
    const name = counters.join();
    const asked = smaller.get(name);
    if (asked !== undefined) return asked;
    const number = ledger.chain(id, version, counters, bucket);
    smaller.set(name, number);
    // What could not be asked is asked again by the next request.
    number.catch(() => smaller.delete(name));
    return number;
  }

  return (key, model) => {
    const chains = chainsOf(key);
    if (chains.only !== null) return chains.only;
    const units = unitsFor(key.chain, model);
    const counters = countersFor(key.chain, model).map(({ id }) => id);
    if (counters.length === chains.whole.counters.length) return { ref: chains.whole, units };
    return numberOf(key, chains, counters).then((id) => (id === null ? null : { ref: { id, counters }, units }));
  };
}

/** The chain of a request that every counter sees, or that none needs to. */
export const wholeChain = ({ chain: { id, counters } }: Key): ChainRef => ({
  id,
  counters: counters.map((counter) => counter.id),
});

/** A key whose chain counts nothing in the unit of its mode has nobody who pays for it. [design of accounts, rule 3] */
export function requirePayer({ mode, chain }: Key, model: string): void {
  const unit = unitOf(mode);
  if (unitsFor(chain, model).includes(unit)) return;
  const what = unit === "credit" ? "credits" : "tokens";
  const covered = chain.counters.some((counter) => counter.unit === unit);
  const message = covered
    ? `This key has no ${what} for model ${JSON.stringify(model)}: its limits are for other models. Ask the operator for a limit that covers it.`
    : `This key has no ${what}: neither it nor its account has been given any. Ask the operator for some.`;
  throw new Fault("insufficient_credit", message);
}
