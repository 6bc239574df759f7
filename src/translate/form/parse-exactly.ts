import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";

/** Of the language, and not yet of its types: a number as it was written, for `JSON.stringify` to write again. */
type ExactJson = typeof JSON & {
  rawJSON: (text: string) => unknown;
  isRawJSON: (value: unknown) => boolean;
  parse: (text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown) => unknown;
};
const exact = JSON as ExactJson;

/** Doubles hold all whole numbers of up to fifteen digits. */
const MANY_DIGITS = /\d{16}/;

/**
 * Reads JSON that is to be written again. Ids of many services and bounds in schemas are whole numbers that no double holds;
 * those stay as they were written, and everything else is what `JSON.parse` makes of it.
 */
export function parseExactly(text: string): unknown {
  return MANY_DIGITS.test(text) ? exact.parse(text, unrounded) : JSON.parse(text);
}

function unrounded(_name: string, value: unknown, { source }: { source?: string }): unknown {
  const rounded = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return rounded && source !== undefined ? exact.rawJSON(source) : value;
}

/** What a tool is called with. A model may have written what is no object, or have been cut off; it is then called with nothing. */
export function argumentsIn(text: string): Json {
  try {
    const value = parseExactly(text);
    return isObject(value) && !exact.isRawJSON(value) ? value : {};
  } catch {
    return {};
  }
}
