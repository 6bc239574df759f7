import {
  type Context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  TraceFlags,
  type TracerProvider,
} from "@opentelemetry/api";
import type { Clock } from "../../core/clock.ts";
import { ATTRIBUTE } from "./attribute-names.ts";
import type { RequestOpened } from "../request-line.ts";
import { RequestTrace } from "./request-trace.ts";
import { ROUTE_PATHS } from "../route-name.ts";

/** Opens the trace of a request; null while nothing collects spans, so that tracing then costs one comparison. */
export type OpenTrace = (request: RequestOpened) => RequestTrace | null;

type Parts = {
  clock: Clock;
  /** What collects the spans; absent, an SDK that was registered before this is called. */
  provider?: TracerProvider;
  /** Whether a client's `traceparent` makes its request a part of the client's trace. */
  parent: "ignore" | "continue";
};

const SCOPE = "tollgate";

export function createOpenTrace({ clock, provider = trace.getTracerProvider(), parent }: Parts): OpenTrace {
  const unattended = provider instanceof ProxyTracerProvider && provider.getDelegateTracer(SCOPE) === undefined;
  if (unattended) return () => null;
  const tracer = provider.getTracer(SCOPE);
  return ({ requestId, route, method, traceparent }) => {
    const path = ROUTE_PATHS[route];
    const beganAt = { nowMs: clock.nowMs(), elapsedMs: clock.elapsedMs() };
    const attributes = {
      [ATTRIBUTE.requestId]: requestId,
      [ATTRIBUTE.route]: route,
      [ATTRIBUTE.method]: method,
      ...(path !== null && { [ATTRIBUTE.httpRoute]: path, [ATTRIBUTE.path]: path }),
    };
    const above = parent === "continue" ? contextOf(traceparent) : ROOT_CONTEXT;
    const name = `${method} ${path ?? route}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes, startTime: beganAt.nowMs }, above);
    return new RequestTrace({ tracer, span, below: trace.setSpan(ROOT_CONTEXT, span), beganAt });
  };
}

/** Version 00 of W3C Trace Context; a later version may append fields. Ids of zeros alone are none. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** The trace that a client's `traceparent` names; null: it names none. */
export const sentTraceId = (traceparent: string | undefined): string | null =>
  traceparent === undefined ? null : (TRACEPARENT.exec(traceparent)?.[1] ?? null);

function contextOf(traceparent: string | undefined): Context {
  const match = TRACEPARENT.exec(traceparent ?? "");
  if (match === null) return ROOT_CONTEXT;
  const [, traceId = "", spanId = "", flags = "0"] = match;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
