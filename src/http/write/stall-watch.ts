import type { Socket } from "node:net";

/** Slow is allowed, still is not: it looks at what has left for the network, not at whether all of it has. */
export class StallWatch {
  readonly #socketOf: () => Socket | null;
  readonly #stallMs: number;
  readonly #onStalled: () => void;
  #timer: NodeJS.Timeout | null = null;
  #progress = "";

  /** `socketOf` says null while an answer stands behind another: it has not been offered yet, so that nobody has left it lying. */
  constructor(socketOf: () => Socket | null, stallMs: number, onStalled: () => void) {
    this.#socketOf = socketOf;
    this.#stallMs = stallMs;
    this.#onStalled = onStalled;
  }

  start(): void {
    if (this.#timer) return;
    this.#progress = progressOf(this.#socketOf());
    this.#timer = setInterval(() => {
      const socket = this.#socketOf();
      if (socket === null) return;
      const progress = progressOf(socket);
      if (progress === this.#progress) this.#onStalled();
      this.#progress = progress;
    }, this.#stallMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** What Node's own socket timeout looks at: how much of the write under way the kernel has not taken yet. */
type WriteQueue = { _handle?: { writeQueueSize?: number } | null };

/**
 * A mark that changes exactly when the network takes bytes: writes that are done, and the rest of the one under way. What we
 * add to the queue does not count, or our own signs of life would pass for the caller's.
 */
function progressOf(socket: (Socket & WriteQueue) | null): string {
  if (socket === null) return "none yet";
  return `${socket.bytesWritten - socket.writableLength} ${socket._handle?.writeQueueSize ?? 0}`;
}
