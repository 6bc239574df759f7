import {
  type Attributes,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  type TracerProvider,
} from "@opentelemetry/api";
import { ATTRIBUTE } from "./attribute-names.ts";
import { describeError } from "./describe-error.ts";
import { redact } from "./redact.ts";
import type { RouteName } from "./route-name.ts";

/** The span of one request. */
export type RequestSpan = {
  set: (attributes: Attributes) => void;
  event: (name: string, attributes?: Attributes) => void;
  end: (end: { status: number; error: unknown }) => void;
};

/** Opens the span of a request; null while nobody collects spans, so that tracing then costs one comparison. */
export type OpenSpan = (request: { requestId: string; route: RouteName; method: string }) => RequestSpan | null;

const SCOPE = "tollgate";

/** An SDK has to be registered before this is called: the question whether there is one is asked once. */
export function createOpenSpan(provider: TracerProvider = trace.getTracerProvider()): OpenSpan {
  const unattended = provider instanceof ProxyTracerProvider && provider.getDelegateTracer(SCOPE) === undefined;
  if (unattended) return () => null;
  const tracer = provider.getTracer(SCOPE);
  return ({ requestId, route, method }) => {
    const attributes = { [ATTRIBUTE.requestId]: requestId, [ATTRIBUTE.route]: route, [ATTRIBUTE.method]: method };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes });
    return {
      set: (added) => void span.setAttributes(added),
      event: (name, added = {}) => void span.addEvent(name, added),
      end: ({ status, error }) => {
        span.setAttribute(ATTRIBUTE.status, status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: redactedMessage(error) });
        span.end();
      },
    };
  };
}

/** Spans leave the process as log lines do, and pass the same net. */
const redactedMessage = (error: unknown): string => (error === null ? "" : redact(describeError(error).message));
