import { LARGE_BODY_BYTES } from "./large-body.ts";

const NOTHING = Buffer.alloc(0);

/**
 * A body that comes in pieces. A large one is put together as they come, in memory that another thread can read without a copy of it: joined
 * in the end, or copied for that thread, it would keep everybody else waiting.
 */
export class GatheredBytes {
  #chunks: Buffer[] = [];
  #shared: Buffer | null = null;
  #size = 0;
  readonly #announced: number;

  /** `announced`: the length that the sender gave, 0 when it gave none. */
  constructor(announced = 0) {
    this.#announced = announced;
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    const before = this.#size;
    this.#size += chunk.length;
    if (this.#size <= LARGE_BODY_BYTES) {
      this.#chunks.push(chunk);
      return;
    }
    if (this.#shared === null) {
      this.#shared = sharedMemory(this.#announced > 0 ? this.#announced : this.#size * 2);
      Buffer.concat(this.#chunks).copy(this.#shared);
      this.#chunks = [];
    } else if (this.#size > this.#shared.length) {
      const larger = sharedMemory(this.#size * 2);
      this.#shared.copy(larger, 0, 0, before);
      this.#shared = larger;
    }
    chunk.copy(this.#shared, before);
  }

  whole(): Buffer {
    if (this.#shared !== null) return this.#shared.subarray(0, this.#size);
    return this.#chunks.length === 1 ? (this.#chunks[0] ?? NOTHING) : Buffer.concat(this.#chunks);
  }
}

/** The system gives it as it is written to, so that what was announced and never comes takes no room. */
const sharedMemory = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes));
