import type { IncomingMessage } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { Forbidden } from "../core/forbidden.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import type { Events } from "../telemetry/events.ts";
import { REDACTED, redact } from "../telemetry/log/redact.ts";
import {
  type AdminCaller,
  type CallerParts,
  credentialIn,
  isMetricsReader,
  permit,
  recogniseCaller,
} from "./caller.ts";
import type { AdminTokens } from "./operator-credential.ts";
import { isBug, renderRefusal } from "./refusal.ts";

declare module "fastify" {
  // eslint-disable-next-line typescript/consistent-type-definitions -- only an interface can be added to
  interface FastifyRequest {
    /** Null: nobody had to say who they are. */
    caller: AdminCaller | null;
    /** Where it came from, behind the operator's own proxies. */
    address: string;
  }
}

export type AdminDoor = CallerParts & {
  /** Where a request was sent from, as far as it can be believed; null: not known beyond the connection. */
  callerAddress: (request: Pick<IncomingMessage, "headers" | "socket">) => string | null;
  events: Pick<Events, "bug" | "adminRequestFailed" | "operatorRefused">;
  /** What to say when an error means that the database is away, slow or overwhelmed, which is no bug; else null. */
  databaseTrouble: (error: unknown) => Fault | null;
  /** How long a closing server waits for requests under way; then they are cut. */
  farewellMs: number;
  clock: Pick<Clock, "nowMs">;
};

/** The id of a model has 200 characters at most, and each may be escaped into three. */
const MAX_PARAMETER_CHARACTERS = 600;

/** For one reader: kept by no cache, embedded by no other site, and taken for nothing but what it is. */
const PRIVATE = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/** A server without routes, which lets operators in and nobody else, and words every refusal. */
export function openAdminDoor(door: AdminDoor): FastifyInstance {
  const { events, databaseTrouble, farewellMs, clock } = door;
  const admit = createAdmit(door);
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const trouble = databaseTrouble(error);
    if (trouble !== null) events.adminRequestFailed(error, request.id);
    else if (isBug(error)) events.bug(error, request.id);
    const { status, headers, body } = renderRefusal(trouble ?? error, request.id);
    return reply.code(status).headers(headers).type("application/json").send(withoutSecrets(body, door));
  };

  const app = Fastify({
    logger: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
    genReqId: () => requestIdOf(createId(clock.nowMs())),
    http: { headersTimeout: 10_000 },
    requestTimeout: 30_000,
    // A path that cannot be read leads to no route, and so past every hook.
    frameworkErrors: (_error, request, reply) => {
      const unreadable = new Fault("invalid_request", "The path can't be read: it is too long or wrongly escaped.");
      void admit(request, reply).then(
        () => refuse(unreadable, request, reply),
        (refusal: unknown) => refuse(refusal, request, reply),
      );
    },
  });
  app.decorateRequest("caller", null);
  app.decorateRequest("address", "");
  // Many clients name the type of a body that they do not send.
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) =>
    body === "" ? done(null) : void parse(request, body, done),
  );
  app.addHook("onRequest", admit);
  app.addHook("preHandler", async ({ params }) => requireNames(params as Record<string, string>));
  app.addHook("preClose", async () => {
    // A server that closes no longer looks at its time limits, so that one half-sent request would keep the process for ever.
    setTimeout(() => app.server.closeAllConnections(), farewellMs).unref();
  });
  app.setErrorHandler(refuse);
  app.setNotFoundHandler(() => {
    throw new Fault("not_found", "The admin API has no such path. GET /docs lists its paths.");
  });
  return app;
}

/** Lets in who may do what the request asks for. */
const createAdmit =
  ({ events, callerAddress, ...parts }: AdminDoor) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.headers({ ...PRIVATE, "x-request-id": request.id });
    request.address = callerAddress(request.raw) ?? request.ip;
    const { id: requestId, address, method, headers } = request;
    const { credential, access } = request.routeOptions.config;
    if (credential === "none" || (credential === "metrics" && isMetricsReader(headers, parts))) return;
    try {
      const caller = await recogniseCaller({ method, headers, address, requestId }, parts);
      // Who it is stands in the audit log, also where their role does not allow it.
      request.caller = caller;
      // A path that leads nowhere has no access of its own: whoever is known is told so.
      if (access !== undefined) request.caller = permit(caller, access);
    } catch (refusal) {
      if (isRefusal(refusal)) {
        const reason = refusal instanceof Forbidden ? "forbidden" : "unknown";
        const actor = request.caller?.by.actor ?? null;
        events.operatorRefused({ requestId, address, credential: credentialIn(headers, parts), reason, actor });
      }
      throw refusal;
    }
  };

/** PostgreSQL keeps every character but one, so nothing there has such a name. */
function requireNames(params: Readonly<Record<string, string>>): void {
  if (Object.values(params).some((name) => name.includes("\0"))) throw new Fault("not_found", "Nothing has this name.");
}

/** A name that nothing has is repeated in the error, and may be a secret in the wrong place. */
const withoutSecrets = (body: string, { token, metricsToken }: AdminTokens): string =>
  [token, metricsToken].reduce<string>(
    (text, secret) => (secret ? text.replaceAll(secret, REDACTED) : text),
    redact(body),
  );

const isRefusal = (error: unknown): boolean =>
  error instanceof Forbidden || (error instanceof Fault && error.code === "invalid_credentials");
