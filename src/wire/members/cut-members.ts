import { closingQuote } from "../json/outline.ts";
import { nameAt } from "../json/members.ts";
import type { Member, Shape } from "./shape.ts";

/** Which members go: by name, by what the table says of them, and by how they stand in the body. */
export type IsCut = (name: string, member: Member | undefined, standing: Standing) => boolean;

type Standing = {
  /** The member is null or an empty list. */
  nothing: "null" | "empty" | null;
  /** The member that holds its object. */
  within: string | null;
  /** What is known of its object. */
  shape: Shape;
  /** What it holds. */
  value: () => unknown;
};

/**
 * The same JSON without some members, wherever the table looks; every other byte stays as the caller wrote it. The text must
 * already have been accepted by `JSON.parse`.
 */
export function cutMembers(bytes: Buffer, shape: Shape, isCut: IsCut): Buffer {
  return withoutRanges(bytes, new Cutter(bytes, isCut).over(shape));
}

/** A piece of the bytes: where it begins, and the place after its last byte. */
export type ByteRange = readonly [start: number, end: number];

/** The same bytes without some ranges, which are in order and apart; the very same when there are none. */
export function withoutRanges(bytes: Buffer, cuts: readonly ByteRange[]): Buffer {
  if (cuts.length === 0) return bytes;
  const left = emptyLike(
    bytes,
    cuts.reduce((length, [start, end]) => length - (end - start), bytes.length),
  );
  let from = 0;
  let to = 0;
  for (const [start, end] of cuts) {
    to += bytes.copy(left, to, from, start);
    from = end;
  }
  bytes.copy(left, to, from);
  return left;
}

/** Cuts what is as good as absent. [interface decision 10] */
export const saysNothing: IsCut = (_, member, { nothing }) => nothing !== null && member?.absent[nothing] === true;

/** What threads share, they go on sharing. */
function emptyLike({ buffer }: Buffer, length: number): Buffer {
  return buffer instanceof SharedArrayBuffer ? Buffer.from(new SharedArrayBuffer(length)) : Buffer.alloc(length);
}

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const LETTER_N = 0x6e;

class Cutter {
  readonly #bytes: Buffer;
  readonly #isCut: IsCut;
  readonly #cuts: [start: number, end: number][] = [];
  #at = 0;
  /** The member that is read. */
  #within: string | null = null;

  constructor(bytes: Buffer, isCut: IsCut) {
    this.#bytes = bytes;
    this.#isCut = isCut;
  }

  over(shape: Shape): readonly ByteRange[] {
    this.#space();
    this.#value(shape);
    return this.#cuts;
  }

  /** From the first byte of a value to the one after its last. */
  #value(shape: Shape | null): void {
    const byte = this.#bytes[this.#at];
    if (shape === null) this.#skip();
    else if (byte === OPEN_BRACE) this.#object(shape);
    else if (byte === OPEN_BRACKET) this.#list(shape);
    else this.#skip();
  }

  #list(shape: Shape): void {
    this.#at++;
    this.#space();
    while (this.#bytes[this.#at] !== CLOSE_BRACKET) {
      this.#value(shape);
      this.#comma();
    }
    this.#at++;
  }

  #object(shape: Shape): void {
    let kept = false;
    /** Where the member before this one ended; what stands between the two goes with the later one. */
    let previousEnd = 0;
    /** Where a member began that went before any stayed; what follows it up to the next goes with it. */
    let leading: number | null = null;
    this.#at++;
    this.#space();
    while (this.#bytes[this.#at] !== CLOSE_BRACE) {
      const nameStart = this.#at;
      if (leading !== null) this.#cuts.push([leading, nameStart]);
      leading = null;
      const cut = this.#memberIsCut(shape);
      if (cut && kept) this.#cuts.push([previousEnd, this.#at]);
      else if (cut) leading = nameStart;
      kept ||= !cut;
      previousEnd = this.#at;
      this.#comma();
    }
    if (leading !== null) this.#cuts.push([leading, previousEnd]);
    this.#at++;
  }

  /** Reads one member, and what is cut within it unless it goes as a whole. */
  #memberIsCut(shape: Shape): boolean {
    const nameEnd = closingQuote(this.#bytes, this.#at) + 1;
    const name = nameAt(this.#bytes, this.#at, nameEnd);
    this.#at = nameEnd;
    while (this.#bytes[this.#at] !== COLON) this.#at++;
    this.#at++;
    this.#space();
    const member = shape.members.get(name);
    const within = this.#within;
    const cut = this.#isCut(name, member, {
      nothing: this.#nothingHere(),
      within,
      shape,
      value: () => this.#valueHere(),
    });
    this.#within = name;
    this.#value(cut ? null : (member?.inside?.() ?? null));
    this.#within = within;
    return cut;
  }

  #valueHere(): unknown {
    const start = this.#at;
    this.#skip();
    const text = this.#bytes.toString("utf8", start, this.#at);
    this.#at = start;
    return JSON.parse(text);
  }

  #nothingHere(): "null" | "empty" | null {
    const byte = this.#bytes[this.#at];
    if (byte === LETTER_N) return "null";
    if (byte !== OPEN_BRACKET) return null;
    let next = this.#at + 1;
    while (isSpace(this.#bytes[next])) next++;
    return this.#bytes[next] === CLOSE_BRACKET ? "empty" : null;
  }

  #skip(): void {
    let depth = 0;
    do {
      const byte = this.#bytes[this.#at];
      if (byte === QUOTE) this.#at = closingQuote(this.#bytes, this.#at) + 1;
      else if (depth === 0 && !isOpening(byte)) this.#literal();
      else {
        if (isOpening(byte)) depth++;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
        this.#at++;
      }
    } while (depth > 0);
  }

  /** A number, true, false or null. */
  #literal(): void {
    for (; this.#at < this.#bytes.length; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) return;
    }
  }

  #comma(): void {
    this.#space();
    if (this.#bytes[this.#at] !== COMMA) return;
    this.#at++;
    this.#space();
  }

  #space(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++;
  }
}

const isOpening = (byte: number | undefined): boolean => byte === OPEN_BRACE || byte === OPEN_BRACKET;

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
