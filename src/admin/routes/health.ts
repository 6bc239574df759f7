import type { FastifyInstance } from "fastify";
import type { RouteReport } from "../../upstream/route-record.ts";

/** How the routes to providers are, by the requests this process sent there since it started. */
export function addHealthRoutes(
  app: FastifyInstance,
  { reportRoutes }: { reportRoutes: () => readonly RouteReport[] },
): void {
  app.get("/admin/v1/health/routes", () => ({ data: reportRoutes().map(shown) }));
}

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
