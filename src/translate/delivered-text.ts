import type { NamesFound } from "./names-found.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
const LAST_PLAIN = 0x7e;
const FIRST_BYTES = 512;
const FEW_BYTES = 32;

/** More than any answer a published model gives; past it the rest is taken to be like what came before. */
const KEPT_BYTES = 1_048_576;

/**
 * What a stream has said so far. It is kept for the one case in which nobody else can say what the answer came to: a stream
 * that ended before the provider told its usage. Text is kept as it stands in JSON, so that nothing is parsed until then.
 */
export class DeliveredText {
  #kept: Buffer = Buffer.alloc(0);
  #keptBytes = 0;
  /** All bytes of text that came, kept or not. */
  length = 0;
  /** The share of those that was thought and not said. */
  thoughtBytes = 0;
  /** How many texts came out of events, and where the last of them stood in its buffer. */
  pieces = 0;
  readonly last = { start: 0, end: 0 };

  /** What was said, and called: text that a model's thoughts lead up to. */
  get answerBytes(): number {
    return this.length - this.thoughtBytes;
  }

  /** Adds a text of the answer as it stands in these bytes. */
  addRange(bytes: Buffer, start: number, end: number): void {
    this.#append(bytes, start, end);
  }

  /** Adds the text values of all these members. */
  addMembers(found: NamesFound, names: readonly number[]): void {
    for (const name of names) this.#addMember(found, name);
  }

  /** Adds the text values of the first of these members that has any: some providers say a thought under two names. */
  addThoughts(found: NamesFound, names: readonly number[]): void {
    const before = this.length;
    for (const name of names) {
      this.#addMember(found, name);
      if (this.length > before) break;
    }
    this.thoughtBytes += this.length - before;
  }

  addText(text: string, kind: "answer" | "thought" = "answer"): void {
    if (text === "") return;
    const before = this.length;
    if (!this.#appendPlain(text)) {
      const escaped = Buffer.from(JSON.stringify(text));
      this.#append(escaped, 1, escaped.length - 1);
    }
    if (kind === "thought") this.thoughtBytes += this.length - before;
  }

  /** The text, or as much of it as was kept. */
  text(): string {
    const kept = this.#kept.toString("utf8", 0, this.#keptBytes);
    try {
      return JSON.parse(`"${kept}"`) as string;
    } catch {
      return kept;
    }
  }

  /** How many times longer the whole text is than what was kept of it. */
  scale(): number {
    return this.#keptBytes === 0 ? 1 : this.length / this.#keptBytes;
  }

  #addMember(found: NamesFound, name: number): void {
    const { bytes, end } = found;
    /** A quote that ends a name or a text begins no other. */
    let from = 0;
    for (let place = found.placeOf(name); place !== -1; place = found.placeOf(name, place)) {
      if (found.startOf(place) < from) continue;
      from = found.endOf(place);
      while (bytes[from] === SPACE || bytes[from] === COLON) from++;
      if (bytes[from] !== QUOTE) continue;
      const start = from + 1;
      from = endOfText(bytes, start, end);
      this.#append(bytes, start, from);
      this.pieces++;
      this.last.start = start;
      this.last.end = from;
    }
  }

  /** A word that stands in JSON as it is, letter for letter. False: it is not one, and nothing was added. */
  #appendPlain(text: string): boolean {
    const { length } = text;
    if (length > FEW_BYTES) return false;
    const kept = this.#roomFor(length);
    if (kept === null) return false;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code < SPACE || code > LAST_PLAIN || code === QUOTE || code === BACKSLASH) return false;
      kept[this.#keptBytes + at] = code;
    }
    this.length += length;
    this.#keptBytes += length;
    return true;
  }

  #append(bytes: Buffer, start: number, end: number): void {
    this.length += end - start;
    const kept = this.#roomFor(end - start);
    if (kept === null) return;
    // A word takes longer to hand to the runtime than to copy.
    if (end - start > FEW_BYTES) bytes.copy(kept, this.#keptBytes, start, end);
    else for (let at = start; at < end; at++) kept[this.#keptBytes + at - start] = bytes[at] as number;
    this.#keptBytes += end - start;
  }

  /** What is kept, with room for so many bytes more; null when they are more than is kept. */
  #roomFor(bytes: number): Buffer | null {
    const needed = this.#keptBytes + bytes;
    if (needed > KEPT_BYTES) return null;
    if (needed > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.max(FIRST_BYTES, needed, this.#kept.length * 2));
      this.#kept.copy(grown, 0, 0, this.#keptBytes);
      this.#kept = grown;
    }
    return this.#kept;
  }
}

/** The closing quote of a JSON text that begins here. */
function endOfText(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, end);
}
