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
  type RequestFinished,
  type RequestLine,
  requestLine,
  type RequestOpened,
} from "./request-line.ts";
import type { RouteName } from "./route-name.ts";
import type { OpenSpan } from "./tracing.ts";

/** What becomes known of a request while it runs. It ends in exactly one log line, whatever happened. */
export type RequestTrail = {
  authenticated: (key: KnownKey) => void;
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
      });
      const line = lineOf({ request, known, end, totalMs, overheadMs });
      logger.request(levelOf(request.route, end.status), requestLine(line));
      if (!span) return;
      span.set(spanAttributes(line));
      span.end({ status: end.status, error: known.error });
    },
  };
}

type Known = {
  key: KnownKey | null;
  call: KnownCall | null;
  firstByteMs: number | null;
  error: unknown;
};

type LineFacts = { request: RequestOpened; known: Known; end: RequestFinished; totalMs: number; overheadMs: number };

function lineOf({
  request,
  known: { key, call, firstByteMs, error },
  end,
  totalMs,
  overheadMs,
}: LineFacts): RequestLine {
  return {
    request,
    end,
    key,
    call,
    model: end.model === null ? null : end.model.slice(0, MODEL_CHARACTERS),
    totalMs,
    firstByteMs,
    overheadMs,
    error: error === null ? undefined : explained(error, end.status),
  };
}

const spanAttributes = ({ request, end, call, model }: RequestLine): Attributes => ({
  [ATTRIBUTE.dialect]: request.dialect ?? undefined,
  [ATTRIBUTE.provider]: call?.provider,
  [ATTRIBUTE.model]: model === null ? undefined : redact(model),
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
