import { setImmediate as nextTurn } from "node:timers/promises";
import type { TextCounter } from "./count-tokens.ts";

const SLICE_CHARACTERS = 8_192;

/** Counts a long text a slice per turn of the event loop, so that one broken-off answer does not hold up all other streams. */
export async function countInSlices(text: string, count: TextCounter): Promise<number> {
  let tokens = 0;
  for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
    if (at > 0) await nextTurn();
    tokens += count(text.slice(at, at + SLICE_CHARACTERS));
  }
  return tokens;
}
