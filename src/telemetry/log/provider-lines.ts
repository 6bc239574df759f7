import type { LogRow } from "./log-row.ts";

/** Lines about calls to providers. */
export const PROVIDER_LINES = {
  upstreamFailed: {
    message: "upstream failed",
    level: "warn",
    orLevel: "error",
    meaning:
      "A call to a provider failed; `reason` and `status` say how. If the model has another route, the request continues there. Level error: the provider rejected our credential or settings.",
    fix: "Check the provider's credential and settings: tollgate providers test NAME.",
  },
  routeSlow: {
    message: "route slow",
    level: "warn",
    meaning:
      "The streams of a route begin at least five times later than they usually do. `begins_ms` and `usual_ms` are the two times.",
    fix: "Look at the status page of the provider, or add a route to another provider.",
  },
  routeNotSlow: {
    message: "route no longer slow",
    level: "info",
    meaning: "The streams of a route begin about as soon as usual again.",
    fix: null,
  },
  breakerOpened: {
    message: "circuit breaker opened",
    level: "error",
    meaning:
      "A route failed repeatedly and is skipped. Requests use the model's other routes, or get 502. `learned`: `own_calls`, or `reported` if fewer failures were enough because another process had reported the route.",
    fix: "Check the provider. GET /admin/v1/health/routes shows the last errors of each route.",
  },
  breakerClosed: {
    message: "circuit breaker closed",
    level: "info",
    meaning: "The route works and is used again.",
    fix: null,
  },
  credentialMissing: {
    message: "credential missing",
    level: "error",
    meaning: "The gateway cannot read a provider's credential; `problem` says why. The provider's routes fail.",
    fix: "Provide the credential; a variable needs a restart, a file and a stored credential do not.",
  },
  credentialFound: {
    message: "credential found",
    level: "info",
    meaning: "A credential that was missing can be read.",
    fix: null,
  },
} as const satisfies Record<string, LogRow>;
