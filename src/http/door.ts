import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../core/clock.ts";
import type { ClientDialect } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import { KEY_MODES, type KeyMode, ORIGIN_PREFIX } from "../core/key-mode.ts";
import type { OpenRequest } from "../gateway/open-request.ts";
import type { Events } from "../telemetry/events.ts";
import type { RequestFinished } from "../telemetry/request-trail.ts";
import type { RouteName } from "../telemetry/route-name.ts";
import type { RenderFault } from "../wire/errors/shape.ts";
import { type CredentialScheme, extractCredential, missingCredential } from "./credential.ts";
import type { Drain } from "./drain.ts";
import { refuse } from "./refuse.ts";
import { toFault } from "./to-fault.ts";
import type { Visit } from "./visit.ts";

export type Call = { visit: Visit; request: IncomingMessage; response: ServerResponse; body: Buffer };

/** What is known of a request when its answer has been handed over. */
export type Finished = Omit<RequestFinished, "code">;

export type RouteDescription = {
  method: "GET" | "POST";
  path: string;
  /** How logs and metrics call it. */
  name: RouteName;
  dialect: ClientDialect | null;
  render: RenderFault;
  credential: { scheme: CredentialScheme; required: boolean };
  refusals: "full" | "unauthorised_only";
  work: (call: Call) => Promise<Finished>;
};

/** The end of a request that led to no generation. */
export const NOTHING_GENERATED = {
  outcome: null,
  model: null,
  streamed: false,
  inputTokens: 0,
  outputTokens: 0,
  providerMs: 0,
  bytesOut: 0,
};

export type Door = { route: (app: FastifyInstance, description: RouteDescription) => void };

type Parts = {
  openRequest: OpenRequest;
  events: Events;
  drain: Drain;
  clock: Clock;
  limits: { openRequests: number; bodyBytes: number };
};

/**
 * What happens to every request on its way in and out: an id, a place among the open ones, a credential checked from the
 * headers, the work, and exactly one end.
 */
export function createDoor({ openRequest, events, drain, clock, limits }: Parts): Door {
  function open(request: FastifyRequest, origin: KeyMode, { name, dialect, method, render }: RouteDescription): Visit {
    const id = createId(clock.nowMs());
    const requestId = requestIdOf(id);
    const trail = events.requestOpened({ requestId, route: name, dialect, method });
    drain.opened();
    const visit: Visit = {
      id,
      requestId,
      startedAtMs: clock.elapsedMs(),
      trail,
      render,
      origin,
      key: null,
      providerMs: 0,
    };
    request.visit = visit;
    if (drain.isDraining()) {
      throw new Fault("service_unavailable", "This gateway is shutting down. Try again; another one will answer.", {
        retryAfterSeconds: 1,
      });
    }
    if (drain.openRequests() > limits.openRequests) {
      throw new Fault(
        "service_unavailable",
        `This gateway already has ${limits.openRequests} requests open. Try again shortly.`,
        {
          retryAfterSeconds: 1 + Math.floor(Math.random() * 4),
        },
      );
    }
    return visit;
  }

  async function enter(request: FastifyRequest, origin: KeyMode, description: RouteDescription): Promise<void> {
    const visit = open(request, origin, description);
    const secret = extractCredential(request.raw.rawHeaders, description.credential.scheme);
    if (secret === null) {
      if (description.credential.required) throw missingCredential();
      return;
    }
    visit.key = await openRequest({ secret, origin, refusals: description.refusals });
    visit.trail.authenticated({ keyId: visit.key.id, prefix: visit.key.prefix });
  }

  async function work(request: FastifyRequest, reply: FastifyReply, description: RouteDescription): Promise<void> {
    reply.hijack();
    const { visit } = request;
    try {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const finished = await description.work({ visit, request: request.raw, response: reply.raw, body });
      visit.trail.finished({ ...finished, code: null });
      drain.closed();
    } catch (error) {
      leave(request, reply, error);
    }
  }

  /** The end of every request that is refused, wherever it was. */
  function leave(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const { visit } = request;
    const fault = toFault(error, limits);
    if (fault.code === "internal_error") events.bug(error, visit.requestId);
    const { raw: response } = reply;
    const status = refuse({ request: request.raw, response, fault, render: visit.render, requestId: visit.requestId });
    visit.trail.failed(error);
    visit.trail.finished({ ...NOTHING_GENERATED, status, code: fault.code, providerMs: visit.providerMs });
    drain.closed();
  }

  return {
    route: (app, description) => {
      for (const origin of KEY_MODES) {
        app.route({
          method: description.method,
          url: `${ORIGIN_PREFIX[origin]}${description.path}`,
          onRequest: (request) => enter(request, origin, description),
          errorHandler: (error, request, reply) => {
            reply.hijack();
            leave(request, reply, error);
          },
          handler: (request, reply) => work(request, reply, description),
        });
      }
    },
  };
}
