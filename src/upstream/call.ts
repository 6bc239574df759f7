import type { Dispatcher } from "undici";
import type { ByteReader, ByteStream } from "../core/byte-stream.ts";
import type { Sink } from "../core/sink.ts";
import type { Pools } from "./pools.ts";
import { type UpstreamAnswer, UpstreamError, type UpstreamFailure } from "./upstream.ts";

export type Call = {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  sink: Pick<Sink, "onGone">;
};

/** Sends one request and resolves with the head of the answer. Redirects are answers like any other: nothing follows them. */
export function call(pools: Pools, request: Call): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const flight = new Flight(resolve, reject);
    request.sink.onGone(() => flight.cancel());
    pools.of(request.origin, request.connectTimeoutMs).dispatch(
      {
        method: "POST",
        path: request.path,
        headers: request.headers,
        body: request.body,
        headersTimeout: request.firstByteTimeoutMs,
        bodyTimeout: request.idleTimeoutMs,
      },
      flight,
    );
  });
}

/** One call in the air: undici's handler on one side, a byte stream on the other. */
class Flight implements Dispatcher.DispatchHandler, ByteStream {
  readonly #resolve: (answer: UpstreamAnswer) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #reader: ByteReader | null = null;
  /** What arrived between the head and the reader, which comes a microtask later. */
  #early: Buffer[] = [];
  #ending: { error: Error | null } | null = null;
  #cancelled = false;

  constructor(resolve: (answer: UpstreamAnswer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cancelled) this.cancel();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Informational answers come before the real one.
    if (status >= 200) this.#resolve({ status, headers, body: this });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#reader) this.#reader.chunk(chunk);
    else if (!this.#cancelled) this.#early.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = new UpstreamError(reasonOf(error), error);
    this.#reject(failure);
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
    this.#cancelled = true;
    this.#reader = null;
    const given = new Error("the call was given up");
    this.#reject(new UpstreamError("broken", given));
    this.#controller?.abort(given);
  }
}

function reasonOf(error: Error): UpstreamFailure {
  const code = "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT")
    return "timed_out";
  return /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/.test(code) ? "refused" : "broken";
}
