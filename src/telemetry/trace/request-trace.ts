import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";
import { formatAmount } from "../../core/money/amount.ts";
import { ATTRIBUTE, conventionalProvider, OPERATIONS } from "./attribute-names.ts";
import { describeError } from "../log/describe-error.ts";
import { redact } from "../log/redact.ts";
import type { CallMade, LedgerCall, RequestLine } from "../request-line.ts";

type Parts = {
  tracer: Tracer;
  span: Span;
  /** Where the spans below the request's belong. */
  below: Context;
  /** When the span began, in milliseconds since the epoch and on the clock of durations. */
  beganAt: { nowMs: number; elapsedMs: number };
};

type Step = {
  /** One that has begun already. */
  begun?: Span | null;
  name: string;
  kind: SpanKind;
  fromMs: number;
  toMs: number;
  attributes: Attributes;
  error: string | null;
};

/**
 * The spans of one request: its own, and below it one for each call to a provider and to the ledger. Those are written when they
 * have ended, from times that are taken anyway, so that nothing has to be carried along while they run.
 */
export class RequestTrace {
  readonly #parts: Parts;
  /** The call that was answered; it lasts as long as its answer. */
  #answered: { call: CallMade; begun: Span | null; fromMs: number; answeredMs: number } | null = null;
  /** Of a call whose provider was told of it, until it has got an answer or failed. */
  #begun: Span | null = null;
  #waitedMs = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Null: the request is not sampled, so that nobody could find its trace. */
  id(): string | null {
    const { traceId, traceFlags } = this.#parts.span.spanContext();
    return (traceFlags & TraceFlags.SAMPLED) === 0 ? null : traceId;
  }

  authenticated(keyId: string): void {
    this.#parts.span.setAttribute(ATTRIBUTE.keyId, keyId);
  }

  firstByte(nowMs: number): void {
    this.#parts.span.addEvent("first byte", this.#epochMs(nowMs));
  }

  ledgerCalled({ name, startedAtMs, endedAtMs }: LedgerCall): void {
    const span = { name: `ledger ${name}`, kind: SpanKind.INTERNAL, attributes: {}, error: null };
    this.#step({ ...span, fromMs: startedAtMs, toMs: endedAtMs });
  }

  /** A provider that is told of its span is about to be called. As W3C Trace Context writes it. */
  calling(route: CallMade["route"], nowMs: number): string {
    const { tracer, below } = this.#parts;
    this.#begun?.end();
    const { name, kind, attributes } = routeStep(route);
    this.#begun = tracer.startSpan(name, { kind, attributes, startTime: this.#epochMs(nowMs) }, below);
    const { traceId, spanId, traceFlags } = this.#begun.spanContext();
    return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;
  }

  /** A call to a provider got an answer, or failed; both just now. */
  called(call: CallMade, nowMs: number): void {
    const fromMs = nowMs - call.waitedMs;
    this.#waitedMs += call.waitedMs;
    const begun = this.#begun;
    this.#begun = null;
    if (call.failure === null) this.#answered = { call, begun, fromMs, answeredMs: nowMs };
    else this.#step({ ...callStep(call), begun, fromMs, toMs: nowMs });
  }

  finished(line: RequestLine, error: unknown): void {
    const { span } = this.#parts;
    const { end } = line;
    this.#endCall(line);
    // Its client left before the provider answered.
    this.#begun?.end(this.#parts.beganAt.nowMs + line.totalMs);
    span.setAttributes(requestAttributes(line));
    if (end.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: redactedMessage(error) });
    span.end(this.#parts.beganAt.nowMs + line.totalMs);
  }

  #endCall({ end }: RequestLine): void {
    if (this.#answered === null) return;
    const { call, begun, fromMs, answeredMs } = this.#answered;
    const relayMs = Math.max(0, end.providerMs - this.#waitedMs);
    const step = callStep(call);
    this.#step({
      ...step,
      begun,
      fromMs,
      toMs: answeredMs + relayMs,
      attributes: {
        ...step.attributes,
        [ATTRIBUTE.inputTokens]: end.inputTokens,
        [ATTRIBUTE.outputTokens]: end.outputTokens,
        [ATTRIBUTE.outcome]: end.outcome ?? undefined,
      },
      error: end.outcome === "upstream_failed" || end.outcome === "timed_out" ? end.outcome : null,
    });
  }

  #step({ begun, name, kind, fromMs, toMs, attributes, error }: Step): void {
    const { tracer, below } = this.#parts;
    const span = begun ?? tracer.startSpan(name, { kind, attributes, startTime: this.#epochMs(fromMs) }, below);
    if (begun) span.setAttributes(attributes);
    if (error !== null) {
      span.setAttribute(ATTRIBUTE.errorType, error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(this.#epochMs(toMs));
  }

  #epochMs(elapsedMs: number): number {
    const { beganAt } = this.#parts;
    return beganAt.nowMs + elapsedMs - beganAt.elapsedMs;
  }
}

function callStep({ route, number, status, failure }: CallMade): Omit<Step, "fromMs" | "toMs"> {
  const { attributes, ...step } = routeStep(route);
  const more = { [ATTRIBUTE.status]: status ?? undefined, [ATTRIBUTE.attempt]: number };
  return { ...step, attributes: { ...attributes, ...more }, error: failure };
}

function routeStep(route: CallMade["route"]): Pick<Step, "name" | "kind" | "attributes"> {
  const operation = OPERATIONS[route.dialect];
  const attributes = {
    [ATTRIBUTE.operation]: operation,
    [ATTRIBUTE.provider]: conventionalProvider(route.provider),
    [ATTRIBUTE.model]: route.upstreamModel,
    [ATTRIBUTE.serverAddress]: URL.parse(route.baseUrl)?.hostname,
    [ATTRIBUTE.dialect]: route.dialect,
    [ATTRIBUTE.routeId]: route.id,
  };
  return { name: `${operation} ${route.upstreamModel}`, kind: SpanKind.CLIENT, attributes };
}

const requestAttributes = ({ request, end, call, modelAsked, modelFound, charged }: RequestLine): Attributes => ({
  [ATTRIBUTE.status]: end.status,
  [ATTRIBUTE.errorType]: end.code ?? undefined,
  [ATTRIBUTE.dialect]: request.dialect ?? undefined,
  [ATTRIBUTE.model]: modelFound?.id ?? (modelAsked === null ? undefined : redact(modelAsked)),
  [ATTRIBUTE.inputTokens]: end.inputTokens,
  [ATTRIBUTE.outputTokens]: end.outputTokens,
  [ATTRIBUTE.outcome]: end.outcome ?? undefined,
  [ATTRIBUTE.attempts]: call?.attempt,
  [ATTRIBUTE.streamed]: end.streamed,
  [ATTRIBUTE.credits]: modelFound?.unit === "credit" ? formatAmount("credit", charged) : undefined,
  [ATTRIBUTE.chargedTokens]: modelFound?.unit === "tokens" ? Number(charged) : undefined,
});

/** Spans leave the process as log lines do, and pass the same net. */
const redactedMessage = (error: unknown): string => (error === null ? "" : redact(describeError(error).message));
