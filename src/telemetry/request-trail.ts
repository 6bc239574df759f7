import type { Attributes } from "@opentelemetry/api";
import type { Clock } from "../core/clock.ts";
import type { ClientDialect } from "../core/dialect.ts";
import { Fault, type FaultCode } from "../core/fault.ts";
import type { Outcome } from "../core/usage.ts";
import { ATTRIBUTE } from "./attribute-names.ts";
import { boundedDetail, describeError } from "./describe-error.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import { redact } from "./redact.ts";
import type { RouteName } from "./route-name.ts";
import type { OpenSpan } from "./tracing.ts";

export type RequestOpened = { requestId: string; route: RouteName; dialect: ClientDialect | null; method: string };

export type RequestFinished = {
  status: number;
  code: FaultCode | null;
  /** How a generation ended; null when none was begun. */
  outcome: Outcome | null;
  model: string | null;
  streamed: boolean;
  inputTokens: number;
  outputTokens: number;
  /** Time spent waiting for the provider. */
  providerMs: number;
  bytesOut: number;
};

/** What becomes known of a request while it runs. It ends in exactly one log line, whatever happened. */
export type RequestTrail = {
  authenticated: (key: { keyId: string; prefix: string }) => void;
  /** A call to a provider was begun; called again for every further attempt. */
  dispatched: (call: { provider: string; routeId: string; attempt: number }) => void;
  /** The first byte of the provider's answer is here. */
  firstByte: () => void;
  /** The answer is a stream, and counts as open until `finished`. */
  streamOpened: () => void;
  /** Remembers what went wrong, for the line that `finished` writes. */
  failed: (error: unknown) => void;
  /** Writes the line. Further calls do nothing. */
  finished: (end: RequestFinished) => void;
};

export type TrailParts = { logger: Logger; metrics: Metrics; openSpan: OpenSpan; clock: Clock };

/** A model that does not exist may have any name, of any length. */
const MODEL_CHARACTERS = 128;

export function openTrail({ logger, metrics, openSpan, clock }: TrailParts, request: RequestOpened): RequestTrail {
  const startedMs = clock.elapsedMs();
  const span = openSpan(request);
  const known: Known = { key: null, call: null, firstByteMs: null, error: null };
  let streaming = false;
  let done = false;
  metrics.requestOpened();

  return {
    authenticated: (key) => {
      known.key = key;
      span?.set({ [ATTRIBUTE.keyId]: key.keyId });
    },
    dispatched: (call) => {
      known.call = call;
      span?.event("dispatched", { [ATTRIBUTE.provider]: call.provider, [ATTRIBUTE.routeId]: call.routeId });
    },
    firstByte: () => {
      if (known.firstByteMs !== null || done) return;
      known.firstByteMs = clock.elapsedMs() - startedMs;
      metrics.firstByte(request.route, known.firstByteMs);
      if (known.call) metrics.upstreamCalled(known.call.provider, "answered");
      span?.event("first byte");
    },
    streamOpened: () => {
      if (streaming || done) return;
      streaming = true;
      metrics.streamOpened();
    },
    failed: (error) => {
      known.error = error;
    },
    finished: (end) => {
      if (done) return;
      done = true;
      const totalMs = clock.elapsedMs() - startedMs;
      const overheadMs = Math.max(0, totalMs - end.providerMs);
      if (streaming) metrics.streamClosed();
      metrics.requestFinished({ ...request, ...end, totalMs, overheadMs });
      const line = lineOf({ request, known, end, totalMs, overheadMs });
      logger[levelOf(request.route, end.status)](line, "request");
      if (!span) return;
      span.set(spanAttributes(line));
      span.end({ status: end.status, error: known.error });
    },
  };
}

type Known = {
  key: { keyId: string; prefix: string } | null;
  call: { provider: string; routeId: string; attempt: number } | null;
  firstByteMs: number | null;
  error: unknown;
};

type LineFacts = { request: RequestOpened; known: Known; end: RequestFinished; totalMs: number; overheadMs: number };
type Line = ReturnType<typeof lineOf>;

/** What is undefined is left out of the line. */
function lineOf({ request, known: { key, call, firstByteMs, error }, end, totalMs, overheadMs }: LineFacts) {
  return {
    request_id: request.requestId,
    route: request.route,
    dialect: request.dialect ?? undefined,
    method: request.method,
    status: end.status,
    code: end.code ?? undefined,
    outcome: end.outcome ?? undefined,
    key_id: key?.keyId,
    key_prefix: key?.prefix,
    model: end.model?.slice(0, MODEL_CHARACTERS),
    provider: call?.provider,
    route_id: call?.routeId,
    attempts: call?.attempt,
    streamed: end.streamed,
    input_tokens: end.inputTokens,
    output_tokens: end.outputTokens,
    bytes_out: end.bytesOut,
    total_ms: rounded(totalMs),
    first_byte_ms: firstByteMs === null ? undefined : rounded(firstByteMs),
    provider_ms: rounded(end.providerMs),
    overhead_ms: rounded(overheadMs),
    error: error === null ? undefined : explained(error, end.status),
  };
}

const spanAttributes = (line: Line): Attributes => ({
  [ATTRIBUTE.dialect]: line.dialect,
  [ATTRIBUTE.provider]: line.provider,
  [ATTRIBUTE.model]: line.model === undefined ? undefined : redact(line.model),
  [ATTRIBUTE.inputTokens]: line.input_tokens,
  [ATTRIBUTE.outputTokens]: line.output_tokens,
  [ATTRIBUTE.outcome]: line.outcome,
  [ATTRIBUTE.errorType]: line.code,
  [ATTRIBUTE.attempt]: line.attempts,
  [ATTRIBUTE.streamed]: line.streamed,
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

/** Microseconds are as fine as the clock is true. */
const rounded = (durationMs: number): number => Math.round(durationMs * 1000) / 1000;
