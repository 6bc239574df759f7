import { invariant } from "../../core/invariant.ts";
import type { Queryable } from "../../db/database.ts";

/** The numbers that stand for words in the journal; 0 for no word. */
export type Numbers = { of: (word: string) => number };

export type Words = {
  /** Resolves at once for words that were used before. */
  numbersOf: (words: Iterable<string>) => Promise<Numbers>;
  forget: () => void;
};

/** So many words are remembered; models, providers and tools are far fewer. */
const REMEMBERED = 10_000;
const LONGEST = 300;

/** The dictionary of the journal. A word keeps its number for ever, so that what was read once need not be read again. */
export function createWords(queryable: Queryable): Words {
  const known = new Map<string, number>();

  async function read(words: readonly string[], into: Map<string, number>): Promise<void> {
    const sql = "select word, no from words_v1($1::text[])";
    const rows = await queryable.query<{ word: string; no: number }>(sql, [words]);
    if (known.size > REMEMBERED) known.clear();
    for (const { word, no } of rows) {
      known.set(word, no);
      into.set(word, no);
    }
  }

  return {
    numbersOf: async (words) => {
      // Its own copy: what is forgotten meanwhile is forgotten for others.
      const numbers = new Map<string, number>();
      for (const said of words) {
        const word = asKept(said);
        numbers.set(word, known.get(word) ?? 0);
      }
      const missing = [...numbers].flatMap(([word, no]) => (no === 0 && word !== "" ? [word] : []));
      if (missing.length > 0) await read(missing, numbers);
      return {
        of: (word) => {
          const number = numbers.get(asKept(word));
          invariant(number !== undefined && (number > 0 || word === ""), "words are asked for before they are used");
          return number;
        },
      };
    },
    forget: () => known.clear(),
  };
}

/** Names of tools come from providers, and may be anything. */
const asKept = (word: string): string => word.slice(0, LONGEST).toWellFormed().replaceAll("\0", "\u{fffd}");
