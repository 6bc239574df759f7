import { write } from "node:fs";

const MOST_WRITTEN_BYTES = 131_072;
/** When the reader of the output hangs, this much waits for it and the rest is dropped and counted. */
const WAITING_BYTES = 16_777_216;
const TRY_AGAIN_MS = 100;

type Losses = {
  /** These were not written, and never will be. */
  drop: (bytes: Buffer) => void;
  /** Writing failed, as on a full disk, and is tried again. */
  failed: () => void;
};

/** Writes one piece after the other to a file, in a thread of the runtime. */
export class WriteQueue {
  readonly file: number;
  readonly #losses: Losses;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** What is being written, and how much of it is left. */
  #begun: Buffer | null = null;
  #isWriting = false;
  #writtenBytes = 0;
  #state: "works" | "fails" | "given up" = "works";

  constructor(file: number, losses: Losses) {
    this.file = file;
    this.#losses = losses;
  }

  /** A thread is writing, and may wait for a reader. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Something is to be written, and can be as far as is known. */
  get isBusy(): boolean {
    return this.#state === "works" && this.#begun !== null;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  add(bytes: Buffer): void {
    if (this.#state === "given up" || this.#waitingBytes + bytes.length > WAITING_BYTES)
      return this.#losses.drop(bytes);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#begin();
  }

  /** All but what a thread is writing; nothing of an output that fails. */
  takeWaiting(): Buffer {
    if (this.#isWriting) this.#begun = null;
    const all = this.#takeAll();
    return this.#state === "works" ? all : Buffer.alloc(0);
  }

  /** Drops everything, now and from now on. */
  giveUp(): void {
    this.#losses.drop(this.#takeAll());
    this.#state = "given up";
  }

  #begin(): void {
    if (this.#begun !== null || this.#waiting.length === 0) return;
    let [bytes, pieces] = [0, 0];
    for (const piece of this.#waiting) {
      if (pieces > 0 && bytes + piece.length > MOST_WRITTEN_BYTES) break;
      bytes += piece.length;
      pieces += 1;
    }
    this.#begun = Buffer.concat(this.#waiting.splice(0, pieces), bytes);
    this.#send();
  }

  #send(): void {
    if (this.#begun === null || this.#isWriting) return;
    this.#isWriting = true;
    write(this.file, this.#begun, 0, this.#begun.length, null, (error, bytes) => {
      this.#isWriting = false;
      if (error) this.#failed(error);
      else this.#wrote(bytes);
    });
  }

  #wrote(bytes: number): void {
    if (this.#begun === null) return;
    this.#state = "works";
    this.#writtenBytes += bytes;
    this.#waitingBytes -= bytes;
    this.#begun = bytes < this.#begun.length ? this.#begun.subarray(bytes) : null;
    if (this.#begun === null) this.#begin();
    else this.#send();
  }

  #failed({ code }: NodeJS.ErrnoException): void {
    if (code === "EPIPE") {
      // Nobody has it open any more. Where somebody opens it again, the lines from then on are written.
      this.#losses.drop(this.#takeAll());
      return;
    }
    if (code !== "EAGAIN" && code !== "EBUSY") {
      this.#state = "fails";
      this.#losses.failed();
    }
    setTimeout(() => this.#send(), TRY_AGAIN_MS).unref();
  }

  #takeAll(): Buffer {
    const all = Buffer.concat([...(this.#begun === null ? [] : [this.#begun]), ...this.#waiting]);
    [this.#begun, this.#waiting, this.#waitingBytes] = [null, [], 0];
    return all;
  }
}
