import type { FastifyInstance } from "fastify";
import type { Drain } from "./drain.ts";

/** Why the process cannot serve; empty when it can. Never calls a provider. */
export type Readiness = () => Promise<string[]>;

/** Probes. What is wrong is said to anyone; how, is for the log. */
export function addHealth(app: FastifyInstance, { readiness, drain }: { readiness: Readiness; drain: Drain }): void {
  app.get("/livez", (_request, reply) => reply.send({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const reasons = drain.isDraining() ? ["draining"] : await readiness();
    if (reasons.length === 0) return reply.send({ status: "ok" });
    return reply.code(503).header("retry-after", "1").send({ status: "unavailable", reasons });
  });
  // Agents knock here before their first request.
  app.head("/", (_request, reply) => reply.send());
  app.get("/", (_request, reply) => reply.send({ service: "tollgate" }));
}
