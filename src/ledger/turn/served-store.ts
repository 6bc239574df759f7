import { invariant } from "../../core/invariant.ts";
import type { Queryable } from "../../db/database.ts";
import type { ServedFacts } from "../ledger.ts";

export type ServedNumbers = {
  /** The numbers of these, in their order. Resolves at once for what was named before. */
  numbersOf: (settled: readonly { served?: ServedFacts | null }[]) => Promise<(number | null)[]>;
  forget: () => void;
};

/** Routes, tiers and regions are far fewer. */
const REMEMBERED = 10_000;
const LONGEST = 300;
/** What answers name is theirs to choose, and a row is kept for ever: of more words than these one stands for all. */
const MOST_SAID = 100;
const OTHER = "other";

/** The dictionary of how requests are served. A number stands for the same for ever, so that what was read once need not be read again. */
export function createServed(queryable: Queryable): ServedNumbers {
  const known = new Map<string, number>();
  const said = new Set<string>();
  const bounded = (facts: ServedFacts): ServedFacts => {
    if (facts.said === "" || said.has(facts.said)) return facts;
    if (said.size >= MOST_SAID) return { ...facts, said: OTHER };
    said.add(facts.said);
    return facts;
  };

  async function read(missing: ReadonlyMap<string, readonly string[]>, into: Map<string, number>): Promise<void> {
    const rows = [...missing.values()];
    const columns = [0, 1, 2, 3, 4, 5].map((at) => rows.map((row) => row[at]));
    const sql = "select no from served_v1($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) no";
    const numbers = await queryable.query<{ no: number }>(sql, columns);
    invariant(numbers.length === rows.length, "every way of serving has a number");
    if (known.size > REMEMBERED) known.clear();
    for (const [at, key] of [...missing.keys()].entries()) {
      const no = numbers[at]?.no ?? 0;
      known.set(key, no);
      into.set(key, no);
    }
  }

  return {
    numbersOf: async (settled) => {
      const facts = settled.map(({ served }) => (served ? bounded(served) : null));
      const keys = facts.map((one) => (one === null ? null : keyOf(one)));
      // Its own copy: what is forgotten meanwhile is forgotten for others.
      const numbers = new Map<string, number>();
      const missing = new Map<string, readonly string[]>();
      for (const [at, key] of keys.entries()) {
        if (key === null || numbers.has(key) || missing.has(key)) continue;
        const [no, one] = [known.get(key), facts[at]];
        if (no !== undefined) numbers.set(key, no);
        else if (one) missing.set(key, rowOf(one));
      }
      if (missing.size > 0) await read(missing, numbers);
      return keys.map((key) => (key === null ? null : (numbers.get(key) ?? null)));
    },
    forget: () => known.clear(),
  };
}

const rowOf = ({ provider, upstreamModel, credential, tier, region, said }: ServedFacts): string[] =>
  [provider, upstreamModel, credential, tier, region, said].map(asKept);

const keyOf = ({ provider, upstreamModel, credential, tier, region, said }: ServedFacts): string =>
  `${provider}\0${upstreamModel}\0${credential}\0${tier}\0${region}\0${said}`;

const asKept = (text: string): string => text.slice(0, LONGEST).toWellFormed().replaceAll("\0", "\u{fffd}");
