import type { ServerResponse } from "node:http";
import type { AnswerHead, Sink } from "../../core/request/sink.ts";
import { frameChunk, LAST_CHUNK } from "./frame-chunk.ts";
import { StallWatch } from "./stall-watch.ts";

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
  /** Whether the body has no length, and its chunks are framed here. */
  #framed = false;
  #gone = false;
  #onGone: (() => void) | null = null;
  #onDrained: (() => void) | null = null;
  #stall: StallWatch | null = null;

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
    // A caller of HTTP/1.0 does not know chunks: to it the end of the connection is the end of the answer.
    this.#framed = headers["content-length"] === undefined && this.#response.useChunkedEncodingByDefault;
    if (this.#framed) list.push("transfer-encoding", "chunked");
    this.#response.writeHead(status, list);
    if (this.#framed) this.#response.chunkedEncoding = false;
  }

  write(bytes: Buffer): boolean {
    // A chunk of no bytes would end the answer.
    if (this.#gone || bytes.length === 0) return true;
    if (this.#response.write(this.#framed ? frameChunk(bytes) : bytes)) return true;
    if (this.#response.writableLength < this.#limits.bufferBytes) return true;
    this.#watchStall();
    return false;
  }

  end(bytes?: Buffer): void {
    if (this.#gone) return;
    if (this.#framed) this.#endFramed(bytes);
    // A small answer as latin1 text, which is its bytes one for one, leaves with its headers in a single write.
    else if (bytes === undefined) this.#response.end();
    else if (bytes.length <= SMALL_BYTES) this.#response.end(bytes.toString("latin1"), "latin1");
    else this.#response.end(bytes);
    if (this.#response.writableLength > 0) this.#watchStall();
  }

  #endFramed(bytes: Buffer | undefined): void {
    if (bytes !== undefined && bytes.length > 0) this.#response.write(frameChunk(bytes));
    this.#response.end(LAST_CHUNK, "latin1");
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

  #watchStall(): void {
    this.#stall ??= new StallWatch(
      () => this.#response.socket,
      this.#limits.stallMs,
      () => this.#cut(),
    );
    this.#stall.start();
  }

  #clearStall(): void {
    this.#stall?.stop();
  }
}
