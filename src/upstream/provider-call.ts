import type { Dispatcher, Pool } from "undici";
import { wholeSeconds } from "../core/deadline.ts";
import type { ByteReader, ByteStream } from "../core/bytes/byte-stream.ts";
import type { Sink } from "../core/request/sink.ts";
import { OverheardHandler } from "./overheard.ts";
import type { Pools } from "./pools.ts";
import { type UpstreamAnswer, UpstreamError, type UpstreamErrorReason } from "./upstream.ts";

export type ProviderCall = {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  connectTimeoutMs: number;
  /** Covers everything until the answer begins, waiting for a free connection included. */
  firstByteTimeoutMs: number;
  /** Covers the wait for a free connection; absent, as long as the answer may take to begin. */
  connectionTimeoutMs?: number;
  idleTimeoutMs: number;
  sink: Pick<Sink, "onGone">;
};

/**
 * How long an answer of success is looked at before it is passed on. One that breaks off at once can then still be asked of
 * another provider; one that thinks for longer is passed on, so that its caller can be sent signs of life.
 */
const FIRST_BODY_BYTE_MS = 5_000;

/** Sends one request and resolves with the answer once its body has begun. Redirects are answers like any other: nothing follows them. */
export function callProvider(pools: Pools, request: ProviderCall): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const pool = pools.of(request.origin, request.connectTimeoutMs);
    const handler = new CallInProgress({ resolve, reject, pools, pool }, request);
    request.sink.onGone(() => handler.cancel());
    const watcher = pools.overhear?.(request);
    pool.dispatch(
      {
        method: "POST",
        path: request.path,
        headers: request.headers,
        body: request.body,
        // The handler has a clock of its own, which runs from the moment somebody waits.
        headersTimeout: 0,
        bodyTimeout: request.idleTimeoutMs,
      },
      watcher === undefined ? handler : new OverheardHandler(handler, watcher),
    );
  });
}

type CallTimeouts = Pick<ProviderCall, "firstByteTimeoutMs" | "connectionTimeoutMs">;

type CallParts = {
  resolve: (answer: UpstreamAnswer) => void;
  reject: (error: Error) => void;
  pools: Pools;
  pool: Pool;
};

/** One call in progress: undici's handler on one side, a byte stream on the other. */
class CallInProgress implements Dispatcher.DispatchHandler, ByteStream {
  readonly #parts: CallParts;
  #timer: NodeJS.Timeout;
  readonly #connectionTimer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #reader: ByteReader | null = null;
  #answer: UpstreamAnswer | null = null;
  /** What arrived before the reader, which comes a microtask after the first of it. */
  #early: Buffer[] = [];
  #ending: { error: Error | null } | null = null;
  #cancelled = false;
  /** Whether the answer has been handed on, by its first byte or by the wait for it. */
  #passed = false;

  constructor(parts: CallParts, { firstByteTimeoutMs, connectionTimeoutMs = firstByteTimeoutMs }: CallTimeouts) {
    this.#parts = parts;
    this.#timer = setTimeout(() => this.#timedOut(), wholeSeconds(firstByteTimeoutMs));
    if (connectionTimeoutMs < firstByteTimeoutMs)
      this.#connectionTimer = setTimeout(() => this.#timedOut(), wholeSeconds(connectionTimeoutMs));
  }

  #timedOut(): void {
    this.#giveUp(this.#controller === null && this.#parts.pools.isFull(this.#parts.pool) ? "crowded" : "timed_out");
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown, it takes the call out of the queue; aborted, it would take the connection with it, which another waits for.
    if (this.#cancelled) throw new Error("the call was given up");
    clearTimeout(this.#connectionTimer);
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Informational answers come before the real one.
    if (status < 200) return;
    clearTimeout(this.#timer);
    this.#answer = { status, headers, body: this };
    if (status !== 200) this.#pass();
    else this.#timer = setTimeout(() => this.#pass(), FIRST_BODY_BYTE_MS);
  }

  #pass(): void {
    clearTimeout(this.#timer);
    this.#passed = true;
    if (this.#answer) this.#parts.resolve(this.#answer);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#reader) this.#reader.chunk(chunk);
    else if (!this.#cancelled) {
      this.#early.push(chunk);
      this.#pass();
    }
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    // A success that says nothing is none in any dialect, and nobody has been given any of it yet.
    if (!this.#passed) return this.onResponseError(controller, new Error("an answer of success without a byte"));
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#stopTimers();
    const failure = new UpstreamError(reasonOf(error), error, { sent: this.#controller !== null });
    this.#parts.reject(failure);
    this.#end(failure);
  }

  #end(error: Error | null): void {
    if (this.#cancelled) return;
    if (!this.#reader) this.#ending = { error };
    else if (error) this.#reader.fail(error);
    else this.#reader.end();
  }

  read(reader: ByteReader): void {
    this.#reader = reader;
    for (const chunk of this.#early) reader.chunk(chunk);
    this.#early = [];
    if (this.#ending) this.#end(this.#ending.error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  cancel(): void {
    this.#giveUp("broken");
  }

  #stopTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#connectionTimer);
  }

  #giveUp(reason: UpstreamErrorReason): void {
    this.#stopTimers();
    this.#cancelled = true;
    this.#reader = null;
    const given = new Error("the call was given up");
    this.#parts.reject(new UpstreamError(reason, given, { sent: this.#controller !== null }));
    this.#controller?.abort(given);
  }
}

function reasonOf(error: Error): UpstreamErrorReason {
  const code = "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT")
    return "timed_out";
  // At our own limit of open files, of which the provider knows nothing.
  if (code === "EMFILE" || code === "ENFILE") return "crowded";
  return /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/.test(code) ? "refused" : "broken";
}
