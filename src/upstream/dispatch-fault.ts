import { Fault } from "../core/fault.ts";
import type { RouteHealth } from "./route-health.ts";
import type { Route } from "../core/route.ts";
import type { UpstreamError } from "./upstream.ts";

/** Why no route may be called at all, in the caller's words and in ours. */
export function unavailable(routes: readonly Route[], health: Pick<RouteHealth, "standing" | "restsMs">): Fault {
  const open = routes.filter((route) => health.standing(route).verdict === "open");
  if (open.length > 0) {
    const restsMs = Math.min(...open.map(health.restsMs));
    return new Fault(
      "provider_unavailable",
      "The providers of this model failed several times in a row and are left alone for a moment. Try again later.",
      { retryAfterSeconds: Math.max(1, Math.ceil(restsMs / 1_000)), detail: { reason: "breaker_open", restsMs } },
    );
  }
  if (routes.length > 0) {
    return new Fault("provider_unavailable", "The providers of this model have as many calls as they may have.", {
      retryAfterSeconds: 1,
      detail: { reason: "concurrency_limit" },
    });
  }
  return new Fault("provider_unavailable", "No provider can serve this model right now. Try again in a moment.", {
    detail: { reason: "no_route" },
  });
}

export const tooLate = (): Fault =>
  new Fault("upstream_timeout", "No provider answered within the time a request may take. Trying again is safe.");

/** A provider that gave no answer, as the caller is told it. */
export function failureFault(error: UpstreamError, provider: string): Fault {
  const options = { detail: { provider, reason: error.reason }, cause: error };
  switch (error.reason) {
    case "timed_out":
      return new Fault("upstream_timeout", "The provider took too long to answer. Trying again is safe.", options);
    case "crowded":
      return new Fault(
        "upstream_timeout",
        "No connection to the provider became free in time. Trying again is safe.",
        options,
      );
    case "refused":
      return new Fault("provider_unavailable", "The provider could not be reached. Try again in a moment.", options);
    case "misconfigured":
      return new Fault("provider_unavailable", "This provider is not set up; the operator has been told.", options);
    case "broken":
      return new Fault("upstream_error", "The provider broke off before answering. Trying again is safe.", options);
    default:
      return error.reason satisfies never;
  }
}
