import type { ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import { retryAfter } from "../../wire/errors/retry-advice.ts";
import type { Drain } from "../connection/drain.ts";
import type { Router } from "../router.ts";

/** Why the process cannot serve; empty when it can. Never calls a provider. */
export type Readiness = () => Promise<string[]>;
/** What is not as it should be in a process that can serve all the same; empty when all is well. */
export type Degraded = () => string[];

type Parts = { readiness: Readiness; degraded: Degraded; drain: Drain; clock: Clock };

/** Probes. What is wrong is said to anyone; how, is for the log. */
export function addHealth(router: Router, { readiness, degraded, drain, clock }: Parts): void {
  let underway: Promise<string[]> | null = null;
  router.add("GET", "/livez", (_request, response) => answer(response, 200, { status: "ok" }));
  router.add("GET", "/readyz", (_request, response) => {
    void ready().then((reasons) => {
      if (reasons.length > 0) return answer(response, 503, { status: "unavailable", reasons });
      const lacking = degraded();
      answer(response, 200, lacking.length === 0 ? { status: "ok" } : { status: "degraded", reasons: lacking });
    });
  });
  // Agents send a HEAD here before their first request.
  router.add("GET", "/", (_request, response) => answer(response, 200, { service: "tollgate" }));

  async function ready(): Promise<string[]> {
    return drain.isDraining() ? ["draining"] : askOnce();
  }

  /** Anyone may ask, as often as they like; that must not become as many questions to the database. */
  function askOnce(): Promise<string[]> {
    return (underway ??= readiness().finally(() => (underway = null)));
  }

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
