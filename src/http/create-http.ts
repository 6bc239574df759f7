import Fastify, { type FastifyInstance } from "fastify";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import type { Generate } from "../gateway/generate.ts";
import type { ListModels } from "../gateway/list-models.ts";
import type { OpenRequest } from "../gateway/open-request.ts";
import type { Events } from "../telemetry/events.ts";
import { renderFormatA } from "../wire/errors/format-a.ts";
import { renderFormatB } from "../wire/errors/format-b.ts";
import { answerClientError } from "./client-error.ts";
import { createDoor } from "./door.ts";
import type { Drain } from "./drain.ts";
import { addHealth, type Readiness } from "./health.ts";
import { refuse } from "./refuse.ts";
import { getModels } from "./routes/get-models.ts";
import { postChatCompletions } from "./routes/post-chat-completions.ts";
import { createServeGeneration } from "./serve-generation.ts";
import { toFault } from "./to-fault.ts";

export type HttpLimits = {
  bodyBytes: number;
  jsonDepth: number;
  openRequests: number;
  connections: number;
  clientBufferBytes: number;
  clientStallMs: number;
  headerBytes: number;
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
};

type Parts = {
  openRequest: OpenRequest;
  generate: Generate;
  listModels: ListModels;
  events: Events;
  drain: Drain;
  readiness: Readiness;
  clock: Clock;
  limits: HttpLimits;
};

/** The public listener: both origins, both formats. */
export function createHttp(parts: Parts): FastifyInstance {
  const { openRequest, generate, listModels, events, drain, readiness, clock, limits } = parts;
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: limits.bodyTimeoutMs,
    exposeHeadRoutes: false,
    clientErrorHandler: answerClientError,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: true,
    },
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 200 },
  });
  app.server.maxConnections = limits.connections;

  // Bodies are kept as the bytes they came in; the formats read them.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/json(\s*;|$)/i, { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );

  const door = createDoor({ openRequest, events, drain, clock, limits });
  const serve = createServeGeneration({
    generate,
    events,
    maxJsonDepth: limits.jsonDepth,
    sinkLimits: { bufferBytes: limits.clientBufferBytes, stallMs: limits.clientStallMs },
  });
  getModels(app, { door, listModels });
  postChatCompletions(app, { door, serve });
  addHealth(app, { readiness, drain });
  refuseTheRest(app, clock, limits);
  return app;
}

/** Above the idle limit of common load balancers, so that it is they who close an idle connection. */
const KEEP_ALIVE_MS = 65_000;
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"] as const;

/** Unknown paths and wrong methods are refused in the format of the path they come closest to. [decision 26] */
function refuseTheRest(app: FastifyInstance, clock: Clock, limits: HttpLimits): void {
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    const path = request.url.split("?", 1)[0] ?? "";
    const allowed = METHODS.filter((method) => app.hasRoute({ method, url: path }));
    const fault =
      allowed.length > 0
        ? new Fault("method_not_allowed", `${path} takes ${allowed.join(", ")}, not ${request.method}.`)
        : new Fault(
            "not_found",
            "There is nothing at this path. The API's paths begin with /v1, or /token/v1 for token-budget keys.",
          );
    if (allowed.length > 0) reply.raw.setHeader("allow", allowed.join(", "));
    refuse({
      request: request.raw,
      response: reply.raw,
      fault,
      render: path.includes("/v1/messages") ? renderFormatB : renderFormatA,
      requestId: requestIdOf(createId(clock.nowMs())),
    });
  });
  app.setErrorHandler((error, request, reply) => {
    reply.hijack();
    const requestId = requestIdOf(createId(clock.nowMs()));
    refuse({
      request: request.raw,
      response: reply.raw,
      fault: toFault(error, limits),
      render: renderFormatA,
      requestId,
    });
  });
}
