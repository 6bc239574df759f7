import { isObject } from "../../core/bytes/is-object.ts";
import { CUSTOM_INPUT } from "./caller-tools.ts";

/**
 * Reads the text for a custom tool out of the JSON a model writes for the function that stands for it, as that JSON comes, cut
 * anywhere. What was given out piece by piece is exactly what it comes to.
 */
export type CustomInput = {
  /** The part of the text that these characters add. */
  push: (json: string) => string;
  /** What can only be told at the end. */
  close: () => string;
};

const HEAD = new RegExp(`^\\s*\\{\\s*"${CUSTOM_INPUT}"\\s*:\\s*"`);
/** A head that has not shown by then is not the one that was asked for. */
const LONGEST_HEAD = 64;

export function createCustomInput(): CustomInput {
  const text = createStringReader();
  /** All that has come, until it begins as it should. */
  let unread = "";
  let inside = false;

  return {
    push: (json) => {
      if (inside) return text.push(json);
      const before = unread.length;
      unread += json;
      const head = before > LONGEST_HEAD ? undefined : HEAD.exec(unread)?.[0];
      if (head === undefined || head.length > LONGEST_HEAD) return "";
      inside = true;
      return text.push(unread.slice(head.length));
    },
    close: () => (inside ? text.close() : meantBy(unread).toWellFormed()),
  };
}

/** The same of a call that is whole. */
export function customInputOf(json: string): string {
  const input = createCustomInput();
  return input.push(json) + input.close();
}

/** A model that does not do as it was told is taken at its word: the one text it gave, or all that it wrote. */
function meantBy(json: string): string {
  try {
    const value: unknown = JSON.parse(json === "" ? "{}" : json);
    if (typeof value === "string") return value;
    if (!isObject(value)) return json;
    const texts = Object.values(value).filter((member) => typeof member === "string");
    const given = value[CUSTOM_INPUT] ?? (texts.length === 1 ? texts[0] : undefined);
    if (typeof given === "string") return given;
    return Object.keys(value).length === 0 ? "" : json;
  } catch {
    return json;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const LAST_IS_HIGH = /[\uD800-\uDBFF]$/;

/** A JSON string after its first quote. Halves of escapes and of characters wait for the rest of themselves. */
function createStringReader(): CustomInput {
  let waiting = "";
  let half = "";
  let ended = false;

  /** Whole characters alone: half of one would be lost on the wire. */
  function given(piece: string): string {
    const all = half + piece;
    half = LAST_IS_HIGH.exec(all)?.[0] ?? "";
    return all.slice(0, all.length - half.length).toWellFormed();
  }

  return {
    push: (json) => {
      if (ended) return "";
      const all = waiting + json;
      let piece = "";
      let at = 0;
      while (at < all.length) {
        const next = nextMark(all, at);
        piece += all.slice(at, next);
        at = next;
        if (all[at] === '"') {
          ended = true;
          break;
        }
        const escape = escapeAt(all, at);
        if (escape === null) break;
        piece += escape.text;
        at += escape.length;
      }
      waiting = ended ? "" : all.slice(at);
      return given(piece);
    },
    close: () => (half + waiting).toWellFormed(),
  };
}

/** Where the next quote or backslash stands, or the end. */
function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) return at;
  }
  return text.length;
}

/** Null: not all of it is there yet. What is no escape of JSON stands for itself. */
function escapeAt(text: string, at: number): { text: string; length: number } | null {
  const letter = text[at + 1];
  if (letter === undefined) return null;
  if (letter !== "u") return { text: ESCAPES[letter] ?? letter, length: 2 };
  if (text.length < at + 6) return null;
  const digits = text.slice(at + 2, at + 6);
  if (!/^[\da-f]{4}$/i.test(digits)) return { text: String.raw`\u`, length: 2 };
  return { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 };
}
