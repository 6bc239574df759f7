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
    handle: ({ reportRoutes }) => ({ status: 200, body: { data: reportRoutes().map(routeHealthView) } }),
  }),
];
