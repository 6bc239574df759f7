import type { Amounts } from "../core/money/amount.ts";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import type { AttemptFacts, RecordRequest, RequestFacts, StepTimes } from "../core/request/request-facts.ts";
import { boundedDetail, describeError } from "./log/describe-error.ts";
import type { Logger } from "./log/logger.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { redact } from "./log/redact.ts";
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
import type { RequestTrace } from "./trace/request-trace.ts";
import { type OpenTrace, sentTraceId } from "./trace/tracing.ts";

/** What becomes known of a request while it runs. It ends in exactly one log line, whatever happened. */
export type RequestLog = {
  authenticated: (key: KnownKey) => void;
  /** The request was read, and this is the model it names. */
  modelAsked: (name: string) => void;
  /** Its key may use this model. */
  modelFound: (model: KnownModel) => void;
  /** What the ledger charged, in the unit of the key and in each unit that counts; 0 unless called. */
  charged: (amount: bigint, amounts?: Amounts) => void;
  /** A call of the ledger has ended, however it did. */
  ledgerCalled: (call: LedgerCall) => void;
  /** A provider is about to be called. The trace context of that call, as a `traceparent`; null: there is no trace. */
  calling: (route: CallMade["route"]) => string | null;
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

export type RequestLogParts = {
  logger: Logger;
  metrics: Metrics;
  openTrace: OpenTrace;
  clock: Clock;
  /** Keeps what is known of a request that has ended. Absent or null: nobody does. */
  record?: RecordRequest | null;
};

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
  readonly #steps: StepTimes = noSteps();
  #attempts: AttemptFacts[] | null = null;
  #held: Amounts | null = null;
  #amounts: Amounts | null = null;
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
    this.#steps.authenticated ??= this.#nowUs();
    this.#trace?.authenticated(key.keyId);
  }

  modelAsked(name: string): void {
    this.#known.modelAsked = name.slice(0, MODEL_CHARACTERS);
    this.#steps.read = this.#nowUs();
  }

  modelFound(model: KnownModel): void {
    this.#known.modelFound = model;
  }

  charged(amount: bigint, amounts?: Amounts): void {
    this.#known.charged = amount;
    this.#amounts = amounts ?? null;
  }

  ledgerCalled(call: LedgerCall): void {
    if (call.name === "admit") {
      this.#steps.checked = this.#sinceUs(call.startedAtMs);
      if (call.granted !== undefined) this.#steps.admitted = this.#sinceUs(call.endedAtMs);
      this.#held = call.granted ?? null;
    } else {
      this.#steps.last_byte = this.#steps.first_byte === null ? null : this.#sinceUs(call.startedAtMs);
      this.#steps.settled = this.#sinceUs(call.endedAtMs);
    }
    this.#trace?.ledgerCalled(call);
  }

  calling(route: CallMade["route"]): string | null {
    return this.#trace?.calling(route, this.#parts.clock.elapsedMs()) ?? null;
  }

  dispatched(call: CallMade): void {
    const { route, number, status, failure, waitedMs } = call;
    const nowMs = this.#parts.clock.elapsedMs();
    this.#known.call = { provider: route.provider, routeId: route.id, region: route.region ?? null, attempt: number };
    const beganUs = this.#sinceUs(nowMs - waitedMs);
    this.#steps.dispatched ??= beganUs;
    this.#attempts ??= [];
    this.#attempts.push({
      provider: route.provider,
      routeId: route.id,
      region: route.region ?? null,
      beganUs,
      endedUs: this.#sinceUs(nowMs),
      status,
      failure,
    });
    this.#trace?.called(call, nowMs);
  }

  firstByte(): void {
    const { metrics, clock } = this.#parts;
    if (this.#known.firstByteMs !== null || this.#done) return;
    const nowMs = clock.elapsedMs();
    this.#known.firstByteMs = nowMs - this.#startedMs;
    this.#steps.first_byte = this.#sinceUs(nowMs);
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
    const { key, modelFound, charged, call, firstByteMs } = this.#known;
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
      model: modelFound?.id ?? null,
      provider: call?.provider ?? null,
      firstByteMs,
    });
    if (end.dropped && call && request.dialect) {
      metrics.membersDropped(request.dialect, call.provider, end.dropped.split(",").length);
    }
    const traceId = this.#trace?.id() ?? null;
    const line = lineOf({ request, traceId, known: this.#known, end, totalMs, overheadMs });
    logger.request(levelOf(request.route, end.status), requestLine(line));
    this.#trace?.finished(line, this.#known.error);
    const { record } = this.#parts;
    if (record && isRecorded(request.route, key, end.status))
      record(this.#facts(end, totalMs, traceId), request.userAgent ?? null);
  }

  #facts(end: RequestFinished, totalMs: number, traceId: string | null): RequestFacts {
    const { key, modelAsked, modelFound } = this.#known;
    const { requestId, route, dialect, traceparent } = this.#request;
    const steps = this.#steps;
    steps.closed = micros(totalMs);
    return {
      requestId,
      keyId: key?.keyId ?? null,
      accounts: key?.accounts ?? NO_ACCOUNTS,
      route,
      dialect,
      modelAsked: modelAsked === null || modelAsked === modelFound?.id ? null : redact(copied(modelAsked)),
      model: modelFound?.id ?? null,
      priceVersion: modelFound?.priceVersion ?? null,
      status: end.status,
      code: end.code,
      outcome: end.outcome,
      streamed: end.streamed,
      replay: end.replay ?? false,
      steps,
      providerUs: micros(end.providerMs),
      attempts: this.#attempts,
      inputTokens: end.inputTokens,
      cachedTokens: end.cachedTokens ?? 0,
      outputTokens: end.outputTokens,
      reasoningTokens: end.reasoningTokens ?? 0,
      held: this.#held,
      charged: this.#amounts,
      refusal: end.refusal ? redact(copied(end.refusal.slice(0, LONGEST_TEXT))) : null,
      dropped: end.dropped ? copied(end.dropped.slice(0, LONGEST_TEXT)) : null,
      bytesOut: end.bytesOut,
      traceId: traceId ?? sentTo(traceparent),
    };
  }

  #nowUs(): number {
    return this.#sinceUs(this.#parts.clock.elapsedMs());
  }

  #sinceUs(atMs: number): number {
    return micros(atMs - this.#startedMs);
  }
}

const NO_ACCOUNTS: readonly string[] = [];
/** Of a record. Longer ones are cut. */
const LONGEST_TEXT = 500;

/** A piece of a string keeps the whole of it in memory, which may be a body. */
const copied = (text: string): string => Buffer.from(text).toString();

function sentTo(traceparent: string | undefined): string | null {
  const sent = sentTraceId(traceparent);
  return sent === null ? null : copied(sent);
}

/** About 35 minutes: what a column of the record holds. */
const MOST_MICROS = 2_147_483_647;

const micros = (durationMs: number): number => Math.min(MOST_MICROS, Math.max(0, Math.round(durationMs * 1_000)));

const noSteps = (): StepTimes => ({
  authenticated: null,
  read: null,
  checked: null,
  admitted: null,
  dispatched: null,
  first_byte: null,
  last_byte: null,
  settled: null,
  closed: 0,
});

const QUIET_ROUTES: readonly RouteName[] = ["health", "description", "console"];

/** Whoever named a key, and whoever was refused. Probes and pages are nobody's requests. */
const isRecorded = (route: RouteName, key: KnownKey | null, status: number): boolean =>
  key !== null || (status >= 400 && !QUIET_ROUTES.includes(route));

type Known = Pick<RequestLine, "key" | "modelAsked" | "modelFound" | "charged"> & {
  call: KnownCall | null;
  firstByteMs: number | null;
  error: unknown;
};

type LineFacts = {
  request: RequestOpened;
  traceId: string | null;
  known: Known;
  end: RequestFinished;
  totalMs: number;
  overheadMs: number;
};

function lineOf({
  request,
  traceId,
  known: { key, modelAsked, modelFound, charged, call, firstByteMs, error },
  end,
  totalMs,
  overheadMs,
}: LineFacts): RequestLine {
  return {
    request,
    traceId,
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
