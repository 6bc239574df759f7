import type { RouteReport } from "./route-report.ts";

type Told = Pick<RouteReport, "provider" | "upstreamModel" | "breaker" | "successRate" | "slowness" | "lastErrors">;

/** The same share as in the alert TollgateProviderFails. */
const WELL_FROM = 0.8;
/** After its rest a route waits for a request to try it, perhaps for ever; so long it still counts as one that fails. */
const UNTRIED_MS = 60_000;
const MOST = 5;
const LOOK = "GET /admin/v1/health/routes shows its last errors.";

/** What is wrong with routes while requests are served, as far as any is: each in words for operators. */
export function describeRoutes(routes: readonly Told[], nowMs: number): string[] {
  const reasons = routes.flatMap((route) => describeRoute(route, nowMs) ?? []);
  const more = reasons.length - MOST;
  return more > 0 ? [...reasons.slice(0, MOST), `So it is with ${more} more.`] : reasons;
}

function describeRoute(route: Told, nowMs: number): string | null {
  const { provider, upstreamModel, breaker, successRate, slowness, lastErrors } = route;
  const name = `${upstreamModel} at ${provider}`;
  const last = lastErrors.at(-1);
  const why = last === undefined ? "" : ` (${last.reason})`;
  const isTried = breaker === "half_open" && nowMs - (last?.atMs ?? 0) < UNTRIED_MS;
  if (breaker === "open" || isTried)
    return `The route to ${name} is skipped because its calls fail${why}. Without another route, its requests get 502. ${LOOK}`;
  if (successRate < WELL_FROM)
    return `${Math.round((1 - successRate) * 100)} % of the recent calls to ${name} fail${why}. ${LOOK}`;
  if (slowness === null) return null;
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  return `Streams of ${name} begin after ${seconds(slowness.beginsMs)} s, usually after ${seconds(slowness.usualMs)} s. Look at the status page of the provider, or add a route to another one.`;
}
