import type { ServerResponse } from "node:http";
import type { AnswerHead, Sink } from "../core/sink.ts";

export type SinkLimits = {
  /** Bytes that may wait for a slow caller before the provider is paused. */
  bufferBytes: number;
  /** A caller that takes nothing for this long is cut. */
  stallMs: number;
};

/** A caller's end of an answer, on a raw response. */
export class ResponseSink implements Sink {
  readonly #response: ServerResponse;
  readonly #requestId: string;
  readonly #limits: SinkLimits;
  #gone = false;
  #onGone: (() => void) | null = null;
  #onDrained: (() => void) | null = null;
  #stall: NodeJS.Timeout | null = null;
  #takenBytes = 0;

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
    this.#response.writeHead(status, { ...headers, "x-request-id": this.#requestId, "request-id": this.#requestId });
  }

  write(bytes: Buffer): boolean {
    if (this.#gone || this.#response.write(bytes)) return true;
    if (this.#response.writableLength < this.#limits.bufferBytes) return true;
    this.#watchStall();
    return false;
  }

  end(bytes?: Buffer): void {
    if (this.#gone) return;
    if (bytes) this.#response.end(bytes);
    else this.#response.end();
    if (this.#response.writableNeedDrain) this.#watchStall();
  }

  #closed(): void {
    this.#clearStall();
    if (this.#response.writableFinished) return;
    this.#gone = true;
    this.#onGone?.();
    this.#onDrained?.();
  }

  /** Slow is allowed, still is not: the timer looks at what has left for the network, not at whether all of it has. */
  #watchStall(): void {
    if (this.#stall) return;
    this.#takenBytes = this.#response.socket?.bytesWritten ?? 0;
    this.#stall = setInterval(() => {
      const taken = this.#response.socket?.bytesWritten ?? 0;
      if (taken === this.#takenBytes) this.#response.destroy();
      this.#takenBytes = taken;
    }, this.#limits.stallMs);
    this.#stall.unref();
  }

  #clearStall(): void {
    if (this.#stall) clearInterval(this.#stall);
    this.#stall = null;
  }
}
