import { Fault } from "../core/fault.ts";
import type { RouteHealth } from "./route/route-health.ts";
import type { Route } from "../core/catalogue/route.ts";
import type { UpstreamError } from "./upstream.ts";

/** Why no route may be called at all, in the caller's words and in ours. */
export function unavailable(
  routes: readonly Route[],
  health: Pick<RouteHealth, "standing" | "restsMs">,
  ownRestsMs: (route: Route) => number,
): Fault {
  const own = routes.map(ownRestsMs).filter((restsMs) => restsMs > 0);
  if (own.length > 0 && own.length === routes.length) return lostTooMuch(Math.min(...own));
  const open = routes.filter((route) => health.standing(route).verdict === "open");
  if (open.length > 0) {
    const restsMs = Math.min(...open.map(health.restsMs));
    const seconds = Math.max(1, Math.ceil(restsMs / 1_000));
    return new Fault(
      "provider_unavailable",
      `This model's providers failed repeatedly and are paused. Try again in ${seconds}s.`,
      { retryAfterSeconds: seconds, detail: { reason: "breaker_open", restsMs } },
    );
  }
  if (routes.length > 0) {
    return new Fault(
      "provider_unavailable",
      "This model's providers are at their limit of concurrent calls. Try again in 1s.",
      {
        retryAfterSeconds: 1,
        detail: { reason: "concurrency_limit" },
      },
    );
  }
  return new Fault("provider_unavailable", "No provider can serve this model right now. Try again in a moment.", {
    detail: { reason: "no_route" },
  });
}

/** What one payer's requests have cost in vain is a reason to pause them, and nobody else's. */
function lostTooMuch(restsMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(restsMs / 1_000));
  return new Fault(
    "provider_unavailable",
    `Your requests of this kind to this model failed after the provider had worked on them, and are paused. Try again in ${seconds}s. If responses took too long, stream them or request shorter ones.`,
    { retryAfterSeconds: seconds, detail: { reason: "lost_work", restsMs } },
  );
}

export const tooLate = (): Fault =>
  new Fault("upstream_timeout", "No provider responded within the time limit of a request. It is safe to retry.");

/** A whole answer that did not come while the request lasted. */
export const tooLong = (cause: UpstreamError, provider: string): Fault =>
  new Fault(
    "upstream_timeout",
    "The provider did not complete the response within the time limit of a request. Stream the response, or request a shorter one.",
    { detail: { provider, reason: cause.reason }, cause },
  );

/** A provider that gave no answer, as the caller is told it. */
export function failureFault(error: UpstreamError, provider: string): Fault {
  const options = { detail: { provider, reason: error.reason }, cause: error };
  switch (error.reason) {
    case "timed_out":
      return new Fault("upstream_timeout", "The provider took too long to respond. It is safe to retry.", options);
    case "crowded":
      return new Fault(
        "upstream_timeout",
        "No connection to the provider became available in time. It is safe to retry.",
        options,
      );
    case "refused":
      return new Fault("provider_unavailable", "The provider can't be reached. Try again in a moment.", options);
    case "misconfigured":
      return new Fault(
        "provider_unavailable",
        "This model's provider is not configured correctly. Contact the operator.",
        options,
      );
    case "broken":
      return new Fault(
        "upstream_error",
        "The provider closed the connection before it responded. It is safe to retry.",
        options,
      );
    default:
      return error.reason satisfies never;
  }
}
