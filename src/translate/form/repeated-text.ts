const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const NONE = Buffer.alloc(0);
/** A provider whose events all differ in more than their text is not looked at again after so many. */
const MOST_FAILURES = 8;

/**
 * Reads an event that is the one before but for its text, without parsing it: most events of a stream are. An event is learned when its
 * text stands in it once, as it is; the next is like it when all around the text is the same. After any other event the same bytes may mean
 * something else, so that what was learned is forgotten: every event of a stream must be shown to `textIn`.
 */
export class RepeatedText {
  #before: Buffer = NONE;
  #after: Buffer = NONE;
  #failures = 0;

  /** Null: the event is another. */
  textIn(event: Buffer): string | null {
    const start = this.#before.length;
    if (start === 0) return null;
    const end = event.length - this.#after.length;
    if (end > start && isPlain(event, start, end) && this.#surrounds(event, end)) {
      this.#failures = 0;
      return event.toString("utf8", start, end);
    }
    this.#before = NONE;
    this.#failures++;
    return null;
  }

  learn(event: Buffer, text: string): void {
    if (this.#failures >= MOST_FAILURES || event.includes(BACKSLASH)) return;
    const written = `"${text}"`;
    const at = event.indexOf(written);
    if (at === -1 || event.indexOf(written, at + 1) !== -1) return;
    this.#before = Buffer.from(event.subarray(0, at + 1));
    this.#after = Buffer.from(event.subarray(at + Buffer.byteLength(written) - 1));
  }

  #surrounds(event: Buffer, end: number): boolean {
    const { length } = this.#before;
    return (
      this.#before.compare(event, 0, length) === 0 && this.#after.compare(event, end, end + this.#after.length) === 0
    );
  }
}

/** Whether these bytes can stand between quotes in JSON, and say what they are. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
}
