import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { isObject } from "../../core/bytes/is-object.ts";
import type { Sink } from "../../core/request/sink.ts";
import { EventSplitter } from "../../wire/sse/event-splitter.ts";
import { StallWatch } from "../write/stall-watch.ts";
import type { SinkLimits } from "../write/stream-sink.ts";
import { readEventData } from "./event-data.ts";

const TEXT = { binary: false } as const;
const ENDINGS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete"]);

type Line = { ws: WebSocket; socket: Socket };

/** A caller's end of an answer, on a socket: each event of the stream is a message, and what keeps a stream alive is a ping. */
export class SocketSink implements Sink {
  readonly #line: Line;
  readonly #limits: SinkLimits;
  readonly #splitter: EventSplitter;
  readonly #stall: StallWatch;
  /** What was generated, item by item, and the id of the response once it is whole. */
  readonly #items: Buffer[] = [];
  #completedId: string | null = null;
  #gone = false;
  #ended = false;
  #onGone: (() => void) | null = null;
  #onDrained: (() => void) | null = null;

  constructor(line: Line, limits: SinkLimits) {
    this.#line = line;
    this.#limits = limits;
    this.#splitter = new EventSplitter((bytes, start, end) => this.#event(bytes, start, end), Infinity);
    this.#stall = new StallWatch(
      () => line.socket,
      limits.stallMs,
      () => line.ws.terminate(),
    );
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
  }

  /** A message has neither status nor headers. */
  begin(): void {}

  write(bytes: Buffer): boolean {
    if (this.#gone) return true;
    this.#send(bytes);
    const { socket } = this.#line;
    if (!socket.writableNeedDrain || socket.writableLength < this.#limits.bufferBytes) return true;
    this.#stall.start();
    return false;
  }

  end(bytes?: Buffer): void {
    if (this.#gone) return;
    if (bytes !== undefined) this.#send(bytes);
    this.#ended = true;
    if (this.#line.socket.writableLength > 0) this.#stall.start();
  }

  /** The caller has taken what was waiting. */
  drained(): void {
    this.#stall.stop();
    this.#onDrained?.();
  }

  /** The socket is closed, or about to be. */
  leave(): void {
    this.#stall.stop();
    if (this.#gone || this.#ended) return;
    this.#gone = true;
    this.#onGone?.();
    this.#onDrained?.();
  }

  /** No more is expected of this sink, nor of whom it writes to. */
  close(): void {
    this.#stall.stop();
  }

  /** The whole response that was sent; null: none was. */
  completed(): { id: string; items: Buffer[] } | null {
    return this.#completedId === null ? null : { id: this.#completedId, items: this.#items };
  }

  /** Messages that come of one write leave in one. */
  #send(bytes: Buffer): void {
    const { socket } = this.#line;
    socket.cork();
    this.#splitter.push(bytes);
    socket.uncork();
  }

  #event(bytes: Buffer, start: number, end: number): void {
    const { name, data } = readEventData(bytes, start, end);
    if (data === null) return this.#line.ws.ping();
    this.#line.ws.send(data, TEXT);
    if (name === null || name === "response.output_item.done" || ENDINGS.has(name)) this.#note(data);
  }

  /** What the next message may go on from. */
  #note(data: Buffer): void {
    const event = parsed(data);
    const type = String(event["type"]);
    if (type === "response.output_item.done") this.#items.push(Buffer.from(JSON.stringify(event["item"])));
    if (!ENDINGS.has(type) || !isObject(event["response"])) return;
    const { id } = event["response"];
    if (typeof id === "string") this.#completedId = id;
  }
}

function parsed(data: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data.toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
