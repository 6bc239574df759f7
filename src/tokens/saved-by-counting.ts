import type { ModelInput } from "../core/request/model-input.ts";
import type { Vocabulary } from "../core/request/vocabulary.ts";
import type { TextCounter } from "./count-tokens.ts";
import { slicesOf } from "./count-input.ts";

/** What our own count may be short of: pieces are cut where we cut them. */
const OURS = 1.05;
/**
 * Five other vocabularies make at most so much more of words than ours, and at least a token of five letters where ours has long words:
 * docs/decisions/0017.
 */
const OTHER = { times: 1.7, letters: 5 };

/**
 * How many tokens a bound by bytes falls by when the texts of the input are counted. What a body has beside them stays a token per byte,
 * so that nothing is free because we do not know it for text. Providers write JSON anew, so that it is not ours in any vocabulary.
 */
export async function savedByCounting(
  { texts, json }: Pick<ModelInput, "texts" | "json">,
  { ours, tokenFactor }: Vocabulary,
  count: TextCounter,
): Promise<number> {
  const factor = Math.max(1, tokenFactor);
  const mostInOurs = (text: string): number => count(text) * OURS;
  const mostInOther = (text: string): number => {
    const odd = oddBytes(text);
    return Math.max(count(text) * OTHER.times, (Buffer.byteLength(text) - odd) / OTHER.letters) + odd;
  };
  let saved = 0;
  const save = async (all: readonly string[], most: (text: string) => number): Promise<void> => {
    for await (const slice of slicesOf(all))
      saved += Math.max(0, Buffer.byteLength(slice) - Math.ceil(most(slice) * factor));
  };
  await save(texts, ours ? mostInOurs : mostInOther);
  await save(json, mostInOther);
  return saved;
}

const SPACE = 0x20;
const isLetter = (unit: number): boolean => (unit | SPACE) >= 0x61 && (unit | SPACE) <= 0x7a;

/**
 * Bytes that vocabularies disagree on: digits, signs, runs of blanks, and everything outside ASCII. One joins three digits or eighty
 * blanks into a token that another takes one by one, so each may be one.
 */
export function oddBytes(text: string): number {
  let letters = 0;
  let afterLetter = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const letter = unit < 128 && isLetter(unit);
    // A blank after a word goes with the next one.
    if (letter || (unit === SPACE && afterLetter)) letters++;
    afterLetter = letter;
  }
  return Buffer.byteLength(text) - letters;
}
