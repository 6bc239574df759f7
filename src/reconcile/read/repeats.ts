import type { BillFormat, Notes } from "../bill-line.ts";
import { ExportError } from "../export-error.ts";

export type Repeats = { see: (row: { text: string; key?: string | undefined; place: string; notes: Notes }) => void };

/** Of a larger file repeats are not looked for. */
const MOST_ROWS = 1_000_000;

/**
 * Rows that are exactly alike. Where each row is one request or one group, that is an error; a cloud may bill the same twice, so there it is
 * noted and counted.
 */
export function createRepeats(format: BillFormat): Repeats {
  const seen = new Set<string>();
  const once =
    format.unique !== "" ||
    format.vendor === "openai" ||
    format.vendor === "anthropic" ||
    format.vendor === "openrouter";
  return {
    see: ({ text, key, place, notes }) => {
      if (seen.size >= MOST_ROWS) return;
      const digest = fingerprintOf(key ?? text);
      if (!seen.has(digest)) seen.add(digest);
      else if (once) throw new ExportError(place, "this row is there twice");
      else notes.leftOut("rows that are exactly like another one, and were counted");
    },
  };
}

/** A hundred bits of a text and its length: a row of a million is not taken for another. It needs no library, as this also runs in browsers. */
const fingerprintOf = (text: string): string => `${text.length} ${hashOf(text, 1)} ${hashOf(text, 2)}`;

/** 53 bits, well mixed (cyrb53). */
function hashOf(text: string, seed: number): number {
  let [one, other] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return 2 ** 32 * ((2 ** 21 - 1) & other) + (one >>> 0);
}
