import type { ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import type { Health } from "../../core/health.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import { retryAfter } from "../../wire/errors/retry-advice.ts";
import type { Drain } from "../connection/drain.ts";
import type { Router } from "../router.ts";

type Parts = { health: () => Health; drain: Drain; clock: Clock };

/**
 * Probes, about this process alone: it is taken out of service for what another one would do better. What fails for all of them is
 * said, so that clients still reach us and get our answer; why, is for the admin listener.
 */
export function addHealth(router: Router, { health, drain, clock }: Parts): void {
  router.add("GET", "/livez", (_request, response) => answer(response, 200, { status: "ok" }));
  router.add("GET", "/readyz", (_request, response) => {
    const { unready, failing, degraded } = health();
    const reasons = drain.isDraining() ? ["draining"] : unready;
    if (reasons.length > 0) return answer(response, 503, { status: "unavailable", reasons });
    answer(response, 200, { status: failing.length + degraded.length > 0 ? "degraded" : "ok" });
  });
  // Agents send a HEAD here before their first request.
  router.add("GET", "/", (_request, response) => answer(response, 200, { service: "tollgate" }));

  function answer(response: ServerResponse, status: number, value: object): void {
    const headers = { "content-type": "application/json", "cache-control": "no-store", ...ids() };
    response.writeHead(status, status === 503 ? { ...headers, "retry-after": retryAfter(1) } : headers);
    response.end(JSON.stringify(value));
  }

  /** Every response carries an id, also one that no log will ever mention. [interface decision 28] */
  function ids(): Record<string, string> {
    const requestId = requestIdOf(createId(clock.nowMs()));
    return { "x-request-id": requestId, "request-id": requestId };
  }
}
