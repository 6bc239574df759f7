import type { ServerResponse } from "node:http";
import type { Drain } from "./drain.ts";
import type { Router } from "./router.ts";

/** Why the process cannot serve; empty when it can. Never calls a provider. */
export type Readiness = () => Promise<string[]>;

/** Probes. What is wrong is said to anyone; how, is for the log. */
export function addHealth(router: Router, { readiness, drain }: { readiness: Readiness; drain: Drain }): void {
  router.add("GET", "/livez", (_request, response) => answer(response, 200, { status: "ok" }));
  router.add("GET", "/readyz", (_request, response) => {
    void ready().then((reasons) =>
      reasons.length === 0
        ? answer(response, 200, { status: "ok" })
        : answer(response, 503, { status: "unavailable", reasons }),
    );
  });
  // Agents knock here before their first request.
  router.add("HEAD", "/", (_request, response) => response.writeHead(200).end());
  router.add("GET", "/", (_request, response) => answer(response, 200, { service: "tollgate" }));

  async function ready(): Promise<string[]> {
    return drain.isDraining() ? ["draining"] : readiness();
  }
}

function answer(response: ServerResponse, status: number, value: object): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  response.writeHead(status, status === 503 ? { ...headers, "retry-after": "1" } : headers);
  response.end(JSON.stringify(value));
}
