import type { Attributes } from "@opentelemetry/api";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { ATTRIBUTE } from "./attribute-names.ts";
import { boundedDetail, describeError } from "./describe-error.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import { redact } from "./redact.ts";
import {
  type KnownCall,
  type KnownKey,
  type KnownModel,
  type RequestFinished,
  type RequestLine,
  requestLine,
  type RequestOpened,
} from "./request-line.ts";
import type { RouteName } from "./route-name.ts";
import type { OpenSpan, RequestSpan } from "./tracing.ts";

/** What becomes known of a request while it runs. It ends in exactly one log line, whatever happened. */
export type RequestLog = {
  authenticated: (key: KnownKey) => void;
  /** The request was read, and this is the model it names. */
  modelAsked: (name: string) => void;
  /** Its key may use this model. */
  modelFound: (model: KnownModel) => void;
  /** What the ledger charged, in the unit of the key; 0 unless called. */
  charged: (amount: bigint) => void;
  /** A call to a provider was begun; called again for every further attempt. */
  dispatched: (call: KnownCall) => void;
  /** The first byte of the provider's answer is here. */
  firstByte: () => void;
  /** The answer is a stream, and counts as open until `finished`. */
  streamOpened: () => void;
  /** Remembers what went wrong, for the line that `finished` writes. */
  failed: (error: unknown) => void;
  /** Writes the line. Further calls do nothing. */
  finished: (end: RequestFinished) => void;
};

export type RequestLogParts = { logger: Logger; metrics: Metrics; openSpan: OpenSpan; clock: Clock };

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
  readonly #span: RequestSpan | null;
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
    this.#span = parts.openSpan(request);
  }

  authenticated(key: KnownKey): void {
    this.#known.key = key;
    this.#span?.set({ [ATTRIBUTE.keyId]: key.keyId });
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

  dispatched(call: KnownCall): void {
    this.#known.call = call;
    this.#span?.event("dispatched", { [ATTRIBUTE.provider]: call.provider, [ATTRIBUTE.routeId]: call.routeId });
  }

  firstByte(): void {
    const { metrics, clock } = this.#parts;
    if (this.#known.firstByteMs !== null || this.#done) return;
    this.#known.firstByteMs = clock.elapsedMs() - this.#startedMs;
    metrics.firstByte(this.#request.route, this.#known.firstByteMs);
    if (this.#known.call) metrics.upstreamCalled(this.#known.call.provider, "answered");
    this.#span?.event("first byte");
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
      key: key && { prefix: key.prefix, unit: modelFound?.unit ?? null, charged },
    });
    const { call } = this.#known;
    if (end.dropped && call && request.dialect) {
      metrics.membersDropped(request.dialect, call.provider, end.dropped.split(",").length);
    }
    const line = lineOf({ request, known: this.#known, end, totalMs, overheadMs });
    logger.request(levelOf(request.route, end.status), requestLine(line));
    if (!this.#span) return;
    this.#span.set(spanAttributes(line));
    this.#span.end({ status: end.status, error: this.#known.error });
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

const spanAttributes = ({ request, end, call, modelAsked, modelFound }: RequestLine): Attributes => ({
  [ATTRIBUTE.dialect]: request.dialect ?? undefined,
  [ATTRIBUTE.provider]: call?.provider,
  [ATTRIBUTE.model]: modelFound?.id ?? (modelAsked === null ? undefined : redact(modelAsked)),
  [ATTRIBUTE.inputTokens]: end.inputTokens,
  [ATTRIBUTE.outputTokens]: end.outputTokens,
  [ATTRIBUTE.outcome]: end.outcome ?? undefined,
  [ATTRIBUTE.errorType]: end.code ?? undefined,
  [ATTRIBUTE.attempt]: call?.attempt,
  [ATTRIBUTE.streamed]: end.streamed,
});

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
