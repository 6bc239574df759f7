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
  readonly #visit: EventVisitor;
  readonly #maxEventBytes: number;

  constructor(visit: EventVisitor, maxEventBytes: number) {
    this.#visit = visit;
    this.#maxEventBytes = maxEventBytes;
  }

  /** False when an event grew past the limit; the stream is then not to be trusted any further. */
  push(chunk: Buffer): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (;;) {
      const end = eventEnd(bytes, start);
      if (end === -1) break;
      this.#visit(bytes, start, end);
      start = end;
    }
    this.#rest = start === bytes.length ? NONE : bytes.subarray(start);
    return this.#rest.length <= this.#maxEventBytes;
  }

  /** What has arrived of an event that is not whole yet. */
  get rest(): Buffer {
    return this.#rest;
  }
}

/** The index just after the blank line that closes the event beginning at `start`; -1 while it is not whole. */
function eventEnd(bytes: Buffer, start: number): number {
  let lineFeed = bytes.indexOf(LF, start);
  while (lineFeed !== -1) {
    const next = bytes[lineFeed + 1];
    if (next === LF) return lineFeed + 2;
    if (next === CR && bytes[lineFeed + 2] === LF) return lineFeed + 3;
    lineFeed = bytes.indexOf(LF, lineFeed + 1);
  }
  return -1;
}
