const LF = 10;
const CR = 13;
const NONE = Buffer.alloc(0);

/** Receives each whole event as the range [start, end) of a buffer, its closing blank line included. */
export type EventVisitor = (bytes: Buffer, start: number, end: number) => void;

/**
 * Cuts a byte stream into whole server-sent events without changing a byte. Parsers of text do not say where in the bytes an
 * event stood, and a relay that holds back the last event must know exactly.
 */
export class EventSplitter {
  #rest: Buffer = NONE;
  /** What the rest is written into while it grows, with room for more; null while the rest is a part of what was handed out. */
  #growing: Buffer | null = null;
  readonly #visit: EventVisitor;
  readonly #maxEventBytes: number;

  constructor(visit: EventVisitor, maxEventBytes: number) {
    this.#visit = visit;
    this.#maxEventBytes = maxEventBytes;
  }

  /** False when an event grew past the limit; the stream is then not to be trusted any further. */
  push(chunk: Buffer): boolean {
    // The rest holds no whole blank line, but perhaps the beginning of one.
    let from = Math.max(0, this.#rest.length - 2);
    const bytes = this.#rest.length === 0 ? chunk : this.#joined(chunk);
    let start = 0;
    for (;;) {
      const end = eventEnd(bytes, from);
      if (end === -1) break;
      this.#visit(bytes, start, end);
      start = end;
      from = end;
    }
    if (start > 0) this.#growing = null;
    this.#rest = start === bytes.length ? NONE : bytes.subarray(start);
    return this.#rest.length <= this.#maxEventBytes;
  }

  /** An event may come in millions of pieces, so that joining one must not copy all that came before. */
  #joined(chunk: Buffer): Buffer {
    if (this.#growing === null) return (this.#growing = Buffer.concat([this.#rest, chunk]));
    const length = this.#rest.length + chunk.length;
    if (this.#growing.length < length) this.#growing = Buffer.concat([this.#growing], length * 2);
    this.#growing.set(chunk, this.#rest.length);
    return this.#growing.subarray(0, length);
  }

  /** What has arrived of an event that is not whole yet. */
  get rest(): Buffer {
    return this.#rest;
  }
}

/** The index just after the first blank line at or behind `from`; -1 while there is none. */
function eventEnd(bytes: Buffer, from: number): number {
  let lineFeed = bytes.indexOf(LF, from);
  while (lineFeed !== -1) {
    const next = bytes[lineFeed + 1];
    if (next === LF) return lineFeed + 2;
    if (next === CR && bytes[lineFeed + 2] === LF) return lineFeed + 3;
    lineFeed = bytes.indexOf(LF, lineFeed + 1);
  }
  return -1;
}
