import Fastify, { type FastifyInstance } from "fastify";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import type { ManageKeys } from "../keys/manage-keys.ts";
import type { Events } from "../telemetry/events.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { renderFormatA } from "../wire/errors/format-a.ts";
import { requireOperator } from "./operator-credential.ts";
import { addKeyRoutes } from "./routes/keys.ts";

type Parts = {
  token: string;
  keys: ManageKeys;
  metrics: Pick<Metrics, "expose">;
  events: Events;
  readiness: () => Promise<string[]>;
  clock: Clock;
};

const MAX_BODY_BYTES = 1_048_576;

/** The operators' listener: everything operational is here and nothing of it on the public one. [decision 35] */
export function createAdmin({ token, keys, metrics, events, readiness, clock }: Parts): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => requestIdOf(createId(clock.nowMs())),
    http: { headersTimeout: 10_000 },
    requestTimeout: 30_000,
  });

  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    if (request.routeOptions.url !== "/livez" && request.routeOptions.url !== "/readyz") {
      requireOperator(request.headers.authorization, token);
    }
  });
  app.setErrorHandler((error, request, reply) => {
    const fault = toFault(error);
    if (fault.code === "internal_error") events.bug(error, request.id);
    const { status, headers, body } = renderFormatA(fault, request.id);
    return reply.code(status).headers(headers).type("application/json").send(body);
  });
  app.setNotFoundHandler(() => {
    throw new Fault("not_found", "There is nothing at this path of the admin API.");
  });

  app.get("/livez", () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const reasons = await readiness();
    return reply
      .code(reasons.length === 0 ? 200 : 503)
      .send({ status: reasons.length === 0 ? "ok" : "unavailable", reasons });
  });
  app.get("/metrics", async (_request, reply) => {
    const { contentType, text } = await metrics.expose();
    return reply.type(contentType).send(text);
  });
  addKeyRoutes(app, { keys, events });
  return app;
}

function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return new Fault("invalid_request", (error as Error).message);
  return new Fault("internal_error", "Something went wrong in the gateway.", { cause: error });
}
