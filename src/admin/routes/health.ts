import {
  aliveSchema,
  metricsSchema,
  readySchema,
  routeHealthListSchema,
  routeHealthView,
  unavailableSchema,
} from "../../wire/admin/health.ts";
import { type AdminRoute, route } from "../route.ts";

const unavailable = (reasons: string[]) => ({ status: "unavailable" as const, reasons });

const available = (reasons: string[]) => ({
  status: reasons.length === 0 ? ("ok" as const) : ("degraded" as const),
  reasons,
});

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
    description:
      "About this process alone: 503 while it starts or drains. A fault that all processes share, such as a lost database, leaves it at 200 with `degraded`. `/healthz` is 503 then.",
    handle: ({ health }) => {
      const { unready, failing, degraded } = health();
      if (unready.length > 0) return { status: 503, body: unavailable(unready) };
      return { status: 200, body: available([...failing, ...degraded]) };
    },
  }),
  route({
    id: "isHealthy",
    tag: "health",
    method: "GET",
    path: "/healthz",
    summary: "Check whether requests succeed, with the cause and the next command if they do not",
    description: "503 whenever generations fail for a cause of ours, and while the process starts or drains.",
    credential: "none",
    answers: { 200: readySchema, 503: unavailableSchema },
    handle: ({ health }) => {
      const { unready, failing, degraded } = health();
      const reasons = [...unready, ...failing];
      return reasons.length > 0
        ? { status: 503, body: unavailable(reasons) }
        : { status: 200, body: available(degraded) };
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
