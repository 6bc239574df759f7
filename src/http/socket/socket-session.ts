import type { Payer } from "../../core/money/payer.ts";
import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Clock } from "../../core/clock.ts";
import { Fault, type FaultCode } from "../../core/fault.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import type { Caller } from "../../gateway/open-request.ts";
import { socketError } from "../../wire/responses/socket-events.ts";
import type { SinkLimits } from "../write/stream-sink.ts";
import { forClient } from "../write/client-wait.ts";
import { unforeseen } from "../serve/serve-route.ts";
import { Arriving } from "./arriving.ts";
import { CLOSE, type Close, ENDS_SOCKET } from "./close-codes.ts";
import { SocketSink } from "./socket-sink.ts";

export type SocketLimits = {
  idleMs: number;
  lifetimeMs: number;
  sink: SinkLimits;
};

/** Serves one message to its end: the code of its refusal or of its failure; null: there was none. */
export type ServeMessage = (session: SocketSession, bytes: Buffer) => Promise<FaultCode | null>;

export type SessionParts = {
  ws: WebSocket;
  socket: Socket;
  caller: Caller;
  /** Of the request that opened it. */
  headers: IncomingHttpHeaders;
  limits: SocketLimits;
  arriving: ConstructorParameters<typeof Arriving>[0];
  serve: ServeMessage;
  /** Throws when the key may no longer be used. */
  recheck: () => unknown;
  isDraining: () => boolean;
  clock: Clock;
};

/** Messages that may wait while one is served. */
const MOST_WAITING = 4;
/** Nobody needs more in the time between two looks. */
const MOST_PINGS = 200;
const PING_MS = 30_000;
const NOTHING = Buffer.alloc(0);

/** One socket: its messages one after another, and everything that ends it. */
export class SocketSession {
  readonly payer: Payer;
  readonly #parts: SessionParts;
  readonly #arriving: Arriving;
  readonly #openedAtMs: number;
  readonly #waiting: Buffer[] = [];
  #sink: SocketSink | null = null;
  #busy = false;
  #gone = false;
  #lastUsedMs: number;
  #heardMs: number;
  #pingedMs: number;
  #pings = 0;

  constructor(parts: SessionParts) {
    const { ws, socket, clock, caller } = parts;
    this.#parts = parts;
    this.payer = caller.key.payer;
    this.#openedAtMs = this.#lastUsedMs = this.#heardMs = this.#pingedMs = clock.elapsedMs();
    this.#arriving = new Arriving(parts.arriving, {
      ws,
      socket,
      key: () => caller.key,
      onRefused: (fault) => this.#refused(fault),
    });
    ws.on("message", (data: Buffer, isBinary) => this.#message(data, isBinary));
    ws.on("ping", (data) => this.#pinged(data));
    ws.on("pong", (data) => this.#ponged(data));
    // What is wrong with a frame has been answered with its close code.
    ws.on("error", () => this.#leave());
    ws.on("close", () => this.#leave());
    // The library closes a socket when its peer says so, and tells only when both are done.
    socket.on("data", () => {
      this.#heardMs = clock.elapsedMs();
      if (ws.readyState !== ws.OPEN) this.#leave();
    });
    socket.on("end", () => this.#leave());
    socket.on("drain", () => this.#sink?.drained());
  }

  isGone(): boolean {
    return this.#gone;
  }

  isBusy(): boolean {
    return this.#busy;
  }

  /** The caller's end of one answer. */
  openSink(): SocketSink {
    const { ws, socket, limits } = this.#parts;
    this.#sink = new SocketSink({ ws, socket }, limits.sink);
    if (this.#gone) this.#sink.leave();
    return this.#sink;
  }

  send(text: string): void {
    if (!this.#gone) this.#parts.ws.send(text);
  }

  /** Sends a refusal and returns its status. */
  refuse(fault: Fault, requestId: string): number {
    const { status, text } = socketError(fault, requestId);
    this.send(text);
    return status;
  }

  /** Calls back when all that was written has left, or never will. */
  whenSent(done: () => void): void {
    const { socket } = this.#parts;
    if (this.#gone || socket.writableLength === 0) done();
    // Writes are done in their order, and all of them when the socket is destroyed.
    else socket.write(NOTHING, () => done());
  }

  close({ code, reason }: Close): void {
    const { ws } = this.#parts;
    if (!this.#gone) ws.close(code, reason);
    // The client's own goodbye must be read.
    if (ws.isPaused) ws.resume();
    this.#leave();
  }

  terminate(): void {
    this.#parts.ws.terminate();
    this.#leave();
  }

  /** Looks after the socket, every few seconds. */
  look(): void {
    const { limits, clock, ws, socket, recheck } = this.#parts;
    const nowMs = clock.elapsedMs();
    this.#pings = 0;
    if (this.#gone || this.#busy) return;
    if (this.#isOld()) return this.#retire();
    if (nowMs - this.#lastUsedMs >= limits.idleMs) return this.close(CLOSE.idle);
    void Promise.resolve()
      .then(recheck)
      .catch((error: unknown) => {
        if (error instanceof Fault && ENDS_SOCKET.has(error.code) && !this.#busy) this.close(CLOSE.refused);
      });
    if (nowMs - this.#pingedMs < PING_MS || socket.writableLength > 0) return;
    // Whoever does not even answer a ping is gone, and the network did not say so.
    if (this.#heardMs < this.#pingedMs) return this.terminate();
    this.#pingedMs = nowMs;
    ws.ping();
  }

  #message(data: Buffer, isBinary: boolean): void {
    if (this.#gone) return;
    if (isBinary) return this.close(CLOSE.not_text);
    this.#arriving.whole(data);
    if (this.#waiting.length >= MOST_WAITING) return this.close(CLOSE.too_many_waiting);
    this.#waiting.push(data);
    if (!this.#busy) void this.#serve();
  }

  async #serve(): Promise<void> {
    const { serve, isDraining, clock } = this.#parts;
    this.#busy = true;
    for (let bytes = this.#waiting.shift(); bytes !== undefined && !this.#gone; bytes = this.#waiting.shift()) {
      this.#arriving.served(bytes);
      const code = await serve(this, bytes);
      // Whoever does not read gets no further answer.
      await new Promise<void>((resolve) => this.whenSent(resolve));
      this.#sink?.close();
      this.#sink = null;
      if (code !== null && ENDS_SOCKET.has(code)) this.close(CLOSE.refused);
      else if (isDraining()) this.close(CLOSE.restart);
      else if (this.#isOld()) this.#retire();
    }
    this.#busy = false;
    this.#lastUsedMs = this.#pingedMs = this.#heardMs = clock.elapsedMs();
  }

  #isOld(): boolean {
    return this.#parts.clock.elapsedMs() - this.#openedAtMs >= this.#parts.limits.lifetimeMs;
  }

  /** The client is told in words that it understands, and opens another. */
  #retire(): void {
    this.refuse(tooOld(this.#parts.limits.lifetimeMs), this.#newRequestId());
    this.close(CLOSE.lifetime);
  }

  #refused(fault: unknown): void {
    const { headers } = this.#parts;
    this.refuse(forClient(fault instanceof Fault ? fault : unforeseen(fault), headers), this.#newRequestId());
    this.close(CLOSE.message_refused);
    // The rest of the message would be put together and decoded for nothing. The connection is given up when its time to close is over.
    this.#parts.ws.pause();
  }

  #newRequestId(): string {
    return requestIdOf(createId(this.#parts.clock.nowMs()));
  }

  #pinged(data: Buffer): void {
    const { ws, socket, limits } = this.#parts;
    this.#ponged(data);
    if (!this.#gone && socket.writableLength < limits.sink.bufferBytes) ws.pong(data);
  }

  #ponged(data: Buffer): void {
    this.#arriving.control(data);
    if (++this.#pings > MOST_PINGS) this.close(CLOSE.too_many_pings);
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#waiting.length = 0;
    this.#arriving.close();
    this.#sink?.leave();
  }
}

export const tooOld = (lifetimeMs: number): Fault =>
  new Fault(
    "websocket_connection_limit_reached",
    `This WebSocket has reached its limit of ${Math.round(lifetimeMs / 60_000).toLocaleString("en-US")} minutes. Open a new one to continue.`,
  );
