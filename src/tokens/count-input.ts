import { setImmediate as nextTurn } from "node:timers/promises";
import type { ModelInput } from "../core/request/model-input.ts";
import type { TextCounter } from "./count-tokens.ts";
import { besideText } from "./estimate-input.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const SLICE_CHARACTERS = 8_192;
/** Past this many characters the rest is estimated: counting takes up to two milliseconds per thousand of them. */
const COUNTED_CHARACTERS = 2_097_152;
/** Of a longer text so much is counted, evenly spread: this is done before anybody has paid. */
const SAMPLED_CHARACTERS = 524_288;

/**
 * Counts what a model reads, with media and what providers write around it as they usually are. A slice per turn of the event
 * loop, so that nobody else waits for it.
 */
export async function countInput(input: ModelInput, count: TextCounter): Promise<number> {
  return besideText(input) + (await countTexts([...input.texts, ...input.json], count));
}

/** The same of texts alone, each by itself. */
export async function countTexts(texts: readonly string[], count: TextCounter): Promise<number> {
  let tokens = 0;
  let left = COUNTED_CHARACTERS;
  for await (const slice of slicesOf(texts)) {
    tokens += left > 0 ? count(slice) : estimateTokens(slice);
    left -= slice.length;
  }
  return tokens;
}

/** How many tokens its text has, for a judgement that is made before anything is paid: a long text is sampled. */
export async function sampleTextTokens(input: ModelInput, count: TextCounter): Promise<number> {
  const characters = [...input.texts, ...input.json].reduce((total, text) => total + text.length, 0);
  const share = Math.min(1, SAMPLED_CHARACTERS / Math.max(1, characters));
  let tokens = 0;
  let counted = 0;
  let passed = 0;
  for await (const slice of slicesOf([...input.texts, ...input.json])) {
    passed += slice.length;
    if (counted >= passed * share) continue;
    tokens += count(slice);
    counted += slice.length;
  }
  return counted === 0 ? 0 : Math.ceil((tokens * characters) / counted);
}

/** The texts in pieces that are counted within one turn; short ones share it. */
export async function* slicesOf(texts: readonly string[]): AsyncGenerator<string> {
  let sinceTurn = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
      if (sinceTurn >= SLICE_CHARACTERS) {
        await nextTurn();
        sinceTurn = 0;
      }
      const slice = text.slice(at, at + SLICE_CHARACTERS);
      sinceTurn += slice.length;
      yield slice;
    }
  }
}
