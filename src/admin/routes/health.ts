import {
  aliveSchema,
  metricsSchema,
  readySchema,
  routeHealthListSchema,
  routeHealthView,
  unavailableSchema,
} from "../../wire/admin/health.ts";
import { type AdminRoute, route } from "../route.ts";

export const healthRoutes: readonly AdminRoute[] = [
  route({
    id: "isAlive",
    tag: "health",
    method: "GET",
    path: "/livez",
    summary: "Check that the process is running",
    credential: "none",
    answers: { 200: aliveSchema },
    handle: () => ({ status: 200, body: { status: "ok" as const } }),
  }),
  route({
    id: "isReady",
    tag: "health",
    method: "GET",
    path: "/readyz",
    summary: "Check whether the process can serve requests, with reasons if it cannot",
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
    summary: "Read the metrics of this process in Prometheus text format",
    description: "Takes the metrics token (`admin.metrics_token`) too, which reads metrics only.",
    credential: "metrics",
    media: "text/plain",
    answers: { 200: metricsSchema },
    handle: async ({ metrics }) => {
      const { contentType, text } = await metrics.expose();
      return { status: 200, body: text, type: contentType };
    },
  }),
  route({
    id: "readAllMetrics",
    tag: "health",
    method: "GET",
    path: "/metrics/all",
    summary: "Read the metrics of all workers, summed, in Prometheus text format",
    description:
      "With `tollgate serve --workers`, any worker returns the same sum, so scrape one address. Without, it is the metrics of this process. Takes the metrics token too.",
    credential: "metrics",
    media: "text/plain",
    answers: { 200: metricsSchema },
    handle: async ({ exposeTotals }) => {
      const { contentType, text } = await exposeTotals();
      return { status: 200, body: text, type: contentType };
    },
  }),
  route({
    id: "listRouteHealth",
    tag: "health",
    method: "GET",
    path: "/admin/v1/health/routes",
    summary: "List the health of routes to providers, from the calls of this process since it started",
    answers: { 200: routeHealthListSchema },
    handle: ({ reportRoutes }) => ({ status: 200, body: { data: reportRoutes().map(routeHealthView) } }),
  }),
];
