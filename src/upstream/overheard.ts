import type { Dispatcher } from "undici";
import type { ExchangeEnd, ExchangeWatcher } from "../core/request/overhear.ts";

type Controller = Dispatcher.DispatchController;

/** A handler of a call that also tells a watcher what it is told. */
export class OverheardHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #watcher: ExchangeWatcher;
  #ended = false;

  constructor(handler: Dispatcher.DispatchHandler, watcher: ExchangeWatcher) {
    this.#handler = handler;
    this.#watcher = watcher;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(controller: Controller, status: number, headers: Parameters<ExchangeWatcher["head"]>[1]): void {
    if (status >= 200) this.#watcher.head(status, headers);
    this.#handler.onResponseStart?.(controller, status, headers);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#watcher.bytes(chunk);
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Controller, trailers: Record<string, string | string[] | undefined>): void {
    this.#end("complete");
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    this.#end(controller?.aborted ? "abandoned" : "failed");
    this.#handler.onResponseError?.(controller, error);
  }

  #end(how: ExchangeEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#watcher.ended(how);
  }
}
