import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { boundedDetail, describeError } from "./describe-error.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import {
  type CallMade,
  type KnownCall,
  type KnownKey,
  type KnownModel,
  type LedgerCall,
  type RequestFinished,
  type RequestLine,
  requestLine,
  type RequestOpened,
} from "./request-line.ts";
import type { RouteName } from "./route-name.ts";
import type { RequestTrace } from "./request-trace.ts";
import type { OpenTrace } from "./tracing.ts";

/** What becomes known of a request while it runs. It ends in exactly one log line, whatever happened. */
export type RequestLog = {
  authenticated: (key: KnownKey) => void;
  /** The request was read, and this is the model it names. */
  modelAsked: (name: string) => void;
  /** Its key may use this model. */
  modelFound: (model: KnownModel) => void;
  /** What the ledger charged, in the unit of the key; 0 unless called. */
  charged: (amount: bigint) => void;
  /** A call of the ledger has ended, however it did. */
  ledgerCalled: (call: LedgerCall) => void;
  /** A call to a provider was answered or failed; called again for every further attempt. */
  dispatched: (call: CallMade) => void;
  /** The first byte of the provider's answer is here. */
  firstByte: () => void;
  /** The answer is a stream, and counts as open until `finished`. */
  streamOpened: () => void;
  /** Remembers what went wrong, for the line that `finished` writes. */
  failed: (error: unknown) => void;
  /** Writes the line. Further calls do nothing. */
  finished: (end: RequestFinished) => void;
};

export type RequestLogParts = { logger: Logger; metrics: Metrics; openTrace: OpenTrace; clock: Clock };

/** A model that does not exist may have any name, of any length. */
const MODEL_CHARACTERS = 128;

export function openRequestLog(parts: RequestLogParts, request: RequestOpened): RequestLog {
  parts.metrics.requestOpened();
  return new RecordedRequest(parts, request);
}

/** A class and not a closure per function: one is made for every request. */
class RecordedRequest implements RequestLog {
  readonly #parts: RequestLogParts;
  readonly #request: RequestOpened;
  readonly #startedMs: number;
  readonly #trace: RequestTrace | null;
  readonly #known: Known = {
    key: null,
    modelAsked: null,
    modelFound: null,
    charged: 0n,
    call: null,
    firstByteMs: null,
    error: null,
  };
  #streaming = false;
  #done = false;

  constructor(parts: RequestLogParts, request: RequestOpened) {
    this.#parts = parts;
    this.#request = request;
    this.#startedMs = parts.clock.elapsedMs();
    this.#trace = parts.openTrace(request);
  }

  authenticated(key: KnownKey): void {
    this.#known.key = key;
    this.#trace?.authenticated(key.keyId);
  }

  modelAsked(name: string): void {
    this.#known.modelAsked = name.slice(0, MODEL_CHARACTERS);
  }

  modelFound(model: KnownModel): void {
    this.#known.modelFound = model;
  }

  charged(amount: bigint): void {
    this.#known.charged = amount;
  }

  ledgerCalled(call: LedgerCall): void {
    this.#trace?.ledgerCalled(call);
  }

  dispatched(call: CallMade): void {
    const { route, number } = call;
    this.#known.call = { provider: route.provider, routeId: route.id, attempt: number };
    this.#trace?.called(call, this.#parts.clock.elapsedMs());
  }

  firstByte(): void {
    const { metrics, clock } = this.#parts;
    if (this.#known.firstByteMs !== null || this.#done) return;
    const nowMs = clock.elapsedMs();
    this.#known.firstByteMs = nowMs - this.#startedMs;
    metrics.firstByte(this.#request.route, this.#known.firstByteMs);
    if (this.#known.call) metrics.upstreamCalled(this.#known.call.provider, "answered");
    this.#trace?.firstByte(nowMs);
  }

  streamOpened(): void {
    if (this.#streaming || this.#done) return;
    this.#streaming = true;
    this.#parts.metrics.streamOpened();
  }

  failed(error: unknown): void {
    this.#known.error = error;
  }

  finished(end: RequestFinished): void {
    if (this.#done) return;
    this.#done = true;
    const { metrics, clock, logger } = this.#parts;
    const request = this.#request;
    const totalMs = clock.elapsedMs() - this.#startedMs;
    const overheadMs = Math.max(0, totalMs - end.providerMs);
    if (this.#streaming) metrics.streamClosed();
    const { key, modelFound, charged } = this.#known;
    // Field by field: spreading two objects into one costs more than all the counting.
    metrics.requestFinished({
      route: request.route,
      dialect: request.dialect,
      status: end.status,
      code: end.code,
      outcome: end.outcome,
      totalMs,
      overheadMs,
      inputTokens: end.inputTokens,
      outputTokens: end.outputTokens,
      key: key && { prefix: key.prefix, account: key.accountId ?? null, unit: modelFound?.unit ?? null, charged },
    });
    const { call } = this.#known;
    if (end.dropped && call && request.dialect) {
      metrics.membersDropped(request.dialect, call.provider, end.dropped.split(",").length);
    }
    const line = lineOf({ request, known: this.#known, end, totalMs, overheadMs });
    logger.request(levelOf(request.route, end.status), requestLine(line));
    this.#trace?.finished(line, this.#known.error);
  }
}

type Known = Pick<RequestLine, "key" | "modelAsked" | "modelFound" | "charged"> & {
  call: KnownCall | null;
  firstByteMs: number | null;
  error: unknown;
};

type LineFacts = { request: RequestOpened; known: Known; end: RequestFinished; totalMs: number; overheadMs: number };

function lineOf({
  request,
  known: { key, modelAsked, modelFound, charged, call, firstByteMs, error },
  end,
  totalMs,
  overheadMs,
}: LineFacts): RequestLine {
  return {
    request,
    end,
    key,
    call,
    modelAsked,
    modelFound,
    charged,
    totalMs,
    firstByteMs,
    overheadMs,
    error: error === null ? undefined : explained(error, end.status),
  };
}

function levelOf(route: RouteName, status: number): "debug" | "info" | "error" {
  if (status >= 500) return "error";
  return route === "health" ? "debug" : "info";
}

/** A refusal needs no stack: it was meant. A flood of them must not become a flood of text. */
function explained(error: unknown, status: number): unknown {
  if (status >= 500 || !(error instanceof Fault)) return describeError(error);
  const detail = Object.keys(error.detail).length === 0 ? undefined : boundedDetail(error.detail);
  return error.param === null && detail === undefined ? undefined : { param: error.param?.slice(0, 200), detail };
}
