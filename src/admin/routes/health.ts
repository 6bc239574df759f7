import type { RouteReport } from "../../upstream/route-record.ts";
import {
  aliveSchema,
  metricsSchema,
  readySchema,
  routeHealthListSchema,
  unavailableSchema,
} from "../../wire/admin/health.ts";
import { type AdminRoute, route } from "../route.ts";

export const healthRoutes: readonly AdminRoute[] = [
  route({
    id: "isAlive",
    tag: "health",
    method: "GET",
    path: "/livez",
    summary: "Say that the process runs",
    credential: "none",
    answers: { 200: aliveSchema },
    handle: () => ({ status: 200, body: { status: "ok" as const } }),
  }),
  route({
    id: "isReady",
    tag: "health",
    method: "GET",
    path: "/readyz",
    summary: "Say whether the process can serve requests, and why not",
    credential: "none",
    answers: { 200: readySchema, 503: unavailableSchema },
    handle: async ({ readiness, degraded }) => {
      const reasons = await readiness();
      if (reasons.length > 0) return { status: 503, body: { status: "unavailable" as const, reasons } };
      const lacking = degraded();
      const status = lacking.length === 0 ? ("ok" as const) : ("degraded" as const);
      return { status: 200, body: { status, reasons: lacking } };
    },
  }),
  route({
    id: "readMetrics",
    tag: "health",
    method: "GET",
    path: "/metrics",
    summary: "Read the metrics, in the text format of Prometheus",
    media: "text/plain",
    answers: { 200: metricsSchema },
    handle: async ({ metrics }) => {
      const { contentType, text } = await metrics.expose();
      return { status: 200, body: text, type: contentType };
    },
  }),
  route({
    id: "listRouteHealth",
    tag: "health",
    method: "GET",
    path: "/admin/v1/health/routes",
    summary: "List how the routes to providers are, by the requests this process sent there since it started",
    answers: { 200: routeHealthListSchema },
    handle: ({ reportRoutes }) => ({ status: 200, body: { data: reportRoutes().map(shown) } }),
  }),
];

const shown = (route: RouteReport) => ({
  route_id: route.routeId,
  provider: route.provider,
  upstream_model: route.upstreamModel,
  dialect: route.dialect,
  breaker: route.breaker,
  rests_ms: route.restsMs,
  success_rate: rounded(route.successRate),
  first_byte_ms: route.firstByteMs === null ? null : rounded(route.firstByteMs),
  tokens_per_second: route.tokensPerSecond === null ? null : rounded(route.tokensPerSecond),
  calls_in_progress: route.callsInProgress,
  concurrency_limit: route.concurrencyLimit,
  last_errors: route.lastErrors.map(({ atMs, reason, status }) => ({
    at: new Date(atMs).toISOString(),
    reason,
    status,
  })),
});

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
