const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;
/** A provider whose events all differ in more than their text is not looked at again after so many. */
const MOST_FAILURES = 8;
/** More than an event has that is one of many. */
const MOST_BYTES = 16_384;

type Hole = { start: number; end: number };
type Kind = "text" | "number" | "padding";

/** Under these names providers hide the length of a text. */
const PADDINGS = ['"obfuscation":"', '"p":"'];

/**
 * Finds the text of an event that is the one before but for its text, without parsing it: most events of a stream are. The next event is
 * like the one that was learned when all around the text is the same. After any other event the same bytes may mean something else, so that
 * what was learned is forgotten: every event of a stream must be shown to this.
 */
export class RepeatedText {
  readonly #counter: string | null;
  /** What stands before, between and after what may differ; empty when nothing is learned. */
  #literals: Buffer[] = [];
  /** What may differ between them. */
  #kinds: Kind[] = [];
  #failures = 0;
  /** Where the text stands in the event that was found to be like the one before. */
  start = 0;
  end = 0;

  /** `counter`: the name of a number that differs in every event and that nobody reads. */
  constructor(counter: string | null = null) {
    this.#counter = counter && `"${counter}":`;
  }

  /** Whether the event in this range is like the one that was learned. */
  isLike(bytes: Buffer, start: number, end: number): boolean {
    if (this.#literals.length === 0) return false;
    if (this.#matches(bytes, start, end)) {
      this.#failures = 0;
      return true;
    }
    this.#literals = [];
    this.#failures++;
    return false;
  }

  /** The text of such an event; null: it is another. */
  textIn(event: Buffer): string | null {
    return this.isLike(event, 0, event.length) ? event.toString("utf8", this.start, this.end) : null;
  }

  /** Learns an event in which the text stands once, as it is. */
  learn(event: Buffer, text: string): void {
    if (text === "" || event.includes(BACKSLASH)) return;
    const length = Buffer.byteLength(text);
    const start = behindOnly(event, `"${text}"`);
    if (start !== null) this.learnAt(event, { start: start - length - 1, end: start - 1 });
  }

  /** Learns an event whose text is known to stand there. */
  learnAt(event: Buffer, text: Hole): void {
    if (this.#failures >= MOST_FAILURES || event.length > MOST_BYTES) return;
    const number = this.#counter === null ? null : behindOnly(event, this.#counter);
    const holes: (Hole & { kind: Kind })[] = [{ ...text, kind: "text" }];
    if (number !== null) holes.push({ start: number, end: endOfDigits(event, number, event.length), kind: "number" });
    for (const name of PADDINGS) {
      const start = behindOnly(event, name);
      const end = start === null ? 0 : endOfPlain(event, start, event.length);
      // One that is empty does not show whether it counts.
      if (start !== null && end > start) holes.push({ start, end, kind: "padding" });
    }
    holes.sort((left, right) => left.start - right.start);
    // One within another is no hole but text.
    if (holes.some(({ start }, n) => n > 0 && start < (holes[n - 1] as Hole).end)) return;
    this.#kinds = holes.map(({ kind }) => kind);
    let at = 0;
    this.#literals = holes.map((hole) => {
      const literal = Buffer.from(event.subarray(at, hole.start));
      at = hole.end;
      return literal;
    });
    this.#literals.push(Buffer.from(event.subarray(at)));
  }

  #matches(bytes: Buffer, from: number, to: number): boolean {
    const literals = this.#literals;
    let at = from;
    for (let n = 0; ; n++) {
      const literal = literals[n] as Buffer;
      const { length } = literal;
      if (at + length > to || literal.compare(bytes, at, at + length) !== 0) return false;
      at += length;
      if (n === literals.length - 1) return at === to;
      const start = at;
      const kind = this.#kinds[n];
      at = kind === "number" ? endOfDigits(bytes, start, to) : endOfPlain(bytes, start, to);
      if (at === start && kind !== "padding") return false;
      if (kind !== "text") continue;
      this.start = start;
      this.end = at;
    }
  }
}

/** The place behind what is written in the event once; null when it is not, or more than once. */
function behindOnly(event: Buffer, written: string): number | null {
  const at = event.indexOf(written);
  return at === -1 || event.indexOf(written, at + 1) !== -1 ? null : at + Buffer.byteLength(written);
}

/** The end of what can stand between quotes in JSON, and says what it is. */
function endOfPlain(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && (bytes[at] as number) >= SPACE && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++;
  return at;
}

/** The end of a number as JSON writes one without a sign or a fraction. */
function endOfDigits(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] === ZERO) return start + 1;
  let at = start;
  while (at < end && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  return at;
}
