import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { AnswerHead, Sink } from "../core/sink.ts";

export type SinkLimits = {
  /** Bytes that may wait for a slow caller before the provider is paused. */
  bufferBytes: number;
  /** A caller that takes nothing for this long is cut. */
  stallMs: number;
};

const SMALL_BYTES = 16_384;

/** A caller's end of an answer, on a raw response. */
export class ResponseSink implements Sink {
  readonly #response: ServerResponse;
  readonly #requestId: string;
  readonly #limits: SinkLimits;
  #gone = false;
  #onGone: (() => void) | null = null;
  #onDrained: (() => void) | null = null;
  #stall: NodeJS.Timeout | null = null;
  #progress = "";

  constructor(response: ServerResponse, requestId: string, limits: SinkLimits) {
    this.#response = response;
    this.#requestId = requestId;
    this.#limits = limits;
    response.once("close", () => this.#closed());
    response.on("error", () => response.destroy());
  }

  isGone(): boolean {
    return this.#gone;
  }

  onGone(callback: () => void): void {
    this.#onGone = callback;
    if (this.#gone) callback();
  }

  onDrained(callback: () => void): void {
    this.#onDrained = callback;
    this.#response.on("drain", () => {
      this.#clearStall();
      callback();
    });
  }

  begin({ status, headers }: AnswerHead): void {
    if (this.#gone) return;
    const list = ["x-request-id", this.#requestId, "request-id", this.#requestId];
    for (const name in headers) list.push(name, headers[name] as string);
    this.#response.writeHead(status, list);
  }

  write(bytes: Buffer): boolean {
    if (this.#gone || this.#response.write(bytes)) return true;
    if (this.#response.writableLength < this.#limits.bufferBytes) return true;
    this.#watchStall();
    return false;
  }

  end(bytes?: Buffer): void {
    if (this.#gone) return;
    // A small answer as latin1 text, which is its bytes one for one, leaves with its headers in a single write.
    if (bytes === undefined) this.#response.end();
    else if (bytes.length <= SMALL_BYTES) this.#response.end(bytes.toString("latin1"), "latin1");
    else this.#response.end(bytes);
    if (this.#response.writableLength > 0) this.#watchStall();
  }

  #closed(): void {
    this.#clearStall();
    if (!this.#response.writableFinished) this.#leave();
  }

  /** Not left to the response's own word: Node 24 calls an answer finished whose connection was destroyed after its end. */
  #cut(): void {
    this.#response.destroy();
    this.#leave();
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#onGone?.();
    this.#onDrained?.();
  }

  /** Slow is allowed, still is not: the timer looks at what has left for the network, not at whether all of it has. */
  #watchStall(): void {
    if (this.#stall) return;
    this.#progress = progressOf(this.#response.socket);
    this.#stall = setInterval(() => {
      const { socket } = this.#response;
      // An answer behind another has not been offered yet, so that nobody has left it lying.
      if (socket === null) return;
      const progress = progressOf(socket);
      if (progress === this.#progress) this.#cut();
      this.#progress = progress;
    }, this.#limits.stallMs);
    this.#stall.unref();
  }

  #clearStall(): void {
    if (this.#stall) clearInterval(this.#stall);
    this.#stall = null;
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
