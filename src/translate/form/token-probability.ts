import type { Json } from "../../core/bytes/json.ts";
import { objectsOf, textOf } from "./read-json.ts";

type Likely = { token: string; logprob: number; bytes: number[] };

/** One token of a text and how likely it was, in the shape chat and responses share. */
export type TokenProbability = Likely & { top_logprobs: Likely[] };

/** The most alternatives that either format lets a caller ask for. */
const MOST_ALTERNATIVES = 20;
/** No token is longer. */
const MOST_BYTES = 1_024;

const NONE: readonly TokenProbability[] = Object.freeze([]);

export function probabilitiesOf(given: unknown): readonly TokenProbability[] {
  // Nearly every piece of a stream comes without them.
  if (!Array.isArray(given) || given.length === 0) return NONE;
  return objectsOf(given).flatMap((entry) => {
    const likely = likelyOf(entry);
    if (likely === null) return [];
    const others = objectsOf(entry["top_logprobs"]).slice(0, MOST_ALTERNATIVES);
    return [{ ...likely, top_logprobs: others.flatMap((other) => likelyOf(other) ?? []) }];
  });
}

/** Bytes are left out by some who have them in the token itself. */
function likelyOf({ token, logprob, bytes }: Json): Likely | null {
  if (typeof logprob !== "number") return null;
  const text = textOf(token).slice(0, MOST_BYTES);
  const given = Array.isArray(bytes) ? bytes.slice(0, MOST_BYTES).filter((byte) => Number.isInteger(byte)) : null;
  return { token: text, logprob, bytes: (given as number[] | null) ?? [...Buffer.from(text)] };
}

/** How much room they take, in characters as written. */
export const weightOf = (probabilities: readonly TokenProbability[]): number =>
  probabilities.reduce((sum, { top_logprobs: others }) => sum + WEIGHT * (1 + others.length), 0);
const WEIGHT = 64;
