import type { RequestFacts } from "../core/request/request-facts.ts";
import { codeOf, timeOf } from "./record-row.ts";
import { addRequest, addSum, emptySum, type RequestSum } from "./request-sum.ts";

/** The steps in which series are kept, in minutes, the finest first. */
export const GRAINS = [5, 60, 1_440] as const;
export type Grain = (typeof GRAINS)[number];

const FINEST_SECONDS = GRAINS[0] * 60;

/** Requests of one key, model, provider, code and step of the finest grain. */
export type RequestGroup = {
  keyId: string | null;
  accounts: readonly string[];
  /** Seconds since the epoch. */
  start: number;
  /** Empty: no model, no provider. */
  model: string;
  provider: string;
  code: string;
  sum: RequestSum;
};

export type RequestGroups = {
  /** Counts a request, or so many that its record stands for. */
  add: (facts: RequestFacts, times?: number) => RequestGroup;
  /** Takes over all of another, which must not be used again. */
  takeOver: (others: RequestGroups) => void;
  size: () => number;
  entries: () => Iterable<[string, RequestGroup]>;
};

/** Requests as they come, added up as far as they are alike in all that series tell apart. */
export function createRequestGroups(): RequestGroups {
  const groups = new Map<string, RequestGroup>();

  function groupOf(facts: RequestFacts): RequestGroup {
    const { keyId, accounts, attempts } = facts;
    const atSeconds = Math.floor(timeOf(facts.requestId) / 1_000);
    const start = atSeconds - (atSeconds % FINEST_SECONDS);
    const model = facts.model ?? "";
    const provider = attempts?.at(-1)?.provider ?? "";
    const code = codeOf(facts);
    // The accounts, too: a key may be moved.
    const name = `${keyId} ${accounts.at(-1)} ${start} ${code} ${provider} ${model}`;
    const found = groups.get(name);
    if (found !== undefined) return found;
    const group = { keyId, accounts, start, model, provider, code, sum: emptySum() };
    groups.set(name, group);
    return group;
  }

  return {
    add: (facts, times = 1) => {
      const group = groupOf(facts);
      addRequest(group.sum, facts, times);
      return group;
    },
    takeOver: (others) => {
      for (const [name, group] of others.entries()) {
        const found = groups.get(name);
        if (found === undefined) groups.set(name, group);
        else addSum(found.sum, group.sum);
      }
    },
    size: () => groups.size,
    entries: () => groups.entries(),
  };
}
