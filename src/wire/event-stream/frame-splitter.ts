import { type Frame, type FrameFault, lengthOf, PRELUDE_BYTES, readFrame } from "./frame.ts";

/**
 * Cuts a byte stream into the frames of a binary event stream. A frame may come in many pieces, which are joined once, and one that says
 * it is longer than the limit is refused before any of it is kept.
 */
export class FrameSplitter {
  #pieces: Buffer[] = [];
  #length = 0;
  /** How many bytes are needed before anything more can be read. */
  #needed = PRELUDE_BYTES;
  readonly #visit: (frame: Frame) => void;
  readonly #mostBytes: number;

  constructor(visit: (frame: Frame) => void, mostBytes: number) {
    this.#visit = visit;
    this.#mostBytes = mostBytes;
  }

  /** After a fault the stream is not to be trusted any further. */
  push(chunk: Buffer): FrameFault | null {
    this.#pieces.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return null;
    const bytes = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces, this.#length);
    let at = 0;
    while (bytes.length - at >= PRELUDE_BYTES) {
      const length = lengthOf(bytes.subarray(at, at + PRELUDE_BYTES), this.#mostBytes);
      if (typeof length === "string") return length;
      this.#needed = length;
      if (bytes.length - at < length) break;
      const frame = readFrame(bytes.subarray(at, at + length));
      if (typeof frame === "string") return frame;
      this.#needed = PRELUDE_BYTES;
      at += length;
      this.#visit(frame);
    }
    this.#pieces = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#length = bytes.length - at;
    return null;
  }

  /** Whether a frame has begun that has not ended. */
  get isWithin(): boolean {
    return this.#length > 0;
  }
}
