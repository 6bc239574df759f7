import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { Fault } from "../../core/fault.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import { ORIGIN_PREFIX } from "../../core/people/key-mode.ts";
import type { RecentLimits } from "../../gateway/client/recent-limits.ts";
import type { CountRequest } from "../../gateway/count-request.ts";
import type { Caller, OpenRequest } from "../../gateway/open-request.ts";
import type { Events } from "../../telemetry/events.ts";
import { isLimitHeader, limitHeaders, renderToSession } from "../../wire/errors/session-limit.ts";
import type { RenderFault } from "../../wire/errors/shape.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import { forClient } from "../write/client-wait.ts";
import { type EqualCredentials, extractCredential, missingCredential } from "../credential/credential.ts";
import type { Drain } from "../connection/drain.ts";
import type { PayerShares } from "../read/payer-shares.ts";
import { type Exchange, type IdentifyCaller, NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { refuse } from "../write/refuse.ts";
import type { Router } from "../router.ts";
import type { RequestContext } from "../request-context.ts";

/** Puts a route on the listener, at its origins. */
export type ServeRoute = (route: PublicRoute) => void;

type Parts = {
  router: Router;
  openRequest: OpenRequest;
  countRequest: CountRequest;
  callerAddress: CallerAddress;
  events: Events;
  drain: Drain;
  clock: Clock;
  random: () => number;
  shares: PayerShares;
  /** Ends something that takes long: whether there was anything. */
  makeRoom: () => boolean;
  maxOpenRequests: number;
  equalCredentials: EqualCredentials;
  recentLimits: RecentLimits;
};

/**
 * What happens to every request on its way in and out: an id, a place among the open ones, a credential checked from the
 * headers, the work, and exactly one end.
 */
export const createServeRoute =
  (parts: Parts): ServeRoute =>
  (route) => {
    for (const origin of route.origins) {
      parts.router.add(route.method, `${ORIGIN_PREFIX[origin]}${route.path}`, (request, response, below) => {
        void serve(parts, { route, origin, context: open(parts, route, request), request, response, below });
      });
    }
  };

/** Serves what did not come by the router: a message of a socket, or the request that opens one. */
export type ServeExchange = (exchange: Omit<Exchange, "context" | "below">) => Promise<void>;

export const createServeExchange =
  (parts: Served): ServeExchange =>
  (exchange) =>
    serve(parts, { ...exchange, context: open(parts, exchange.route, exchange.request), below: "" });

function open(
  { clock, events, drain }: Pick<Parts, "clock" | "events" | "drain">,
  { name, dialect, method }: PublicRoute,
  { headers }: IncomingMessage,
): RequestContext {
  const id = createId(clock.nowMs());
  const requestId = requestIdOf(id);
  const log = events.requestOpened({
    requestId,
    route: name,
    dialect,
    method,
    traceparent: sole(headers["traceparent"]),
    userAgent: headers["user-agent"],
  });
  drain.opened();
  return { id, requestId, startedAtMs: clock.elapsedMs(), log, caller: null, share: null, providerMs: 0 };
}

type Served = Omit<Parts, "router">;

/** Repeated, a header is no list but a mistake. */
const sole = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" ? header : undefined;

async function serve(parts: Served, exchange: Exchange): Promise<void> {
  const { route, context, response, channel } = exchange;
  try {
    requireRoom(parts);
    const opened = identify(parts, exchange);
    const caller = opened instanceof Promise ? await opened : opened;
    if (caller !== null) {
      letIn(parts, context, caller);
      if (isTold(exchange)) tellLimit(parts, exchange, caller);
      if (route.rate !== "counted_within") await countFirst(parts, exchange, caller);
    }
    context.log.finished(await route.work(exchange));
  } catch (error) {
    leave(parts, exchange, error);
  } finally {
    const done = (): void => {
      context.share?.leave();
      parts.drain.closed();
    };
    if (channel) channel.whenSent(done);
    else whenSent(response, done);
  }
}

/** Past these bounds the answer is 503, not a queue that grows. */
function requireRoom({ drain, maxOpenRequests, makeRoom, random }: Served): void {
  if (drain.isClosed()) {
    throw new Fault("service_unavailable", "This gateway is shutting down. Try again to reach another instance.", {
      retryAfterSeconds: 1,
    });
  }
  if (drain.openRequests() > maxOpenRequests && !makeRoom()) {
    throw new Fault(
      "service_unavailable",
      `This gateway is at its limit of ${maxOpenRequests.toLocaleString("en-US")} open requests. Try again.`,
      {
        retryAfterSeconds: 1 + Math.floor(random() * 4),
      },
    );
  }
}

/** Who is calling, from the headers alone; nothing to wait for when the key is remembered. */
function identify({ openRequest, callerAddress, equalCredentials }: Served, exchange: Exchange) {
  const { route, origin, context, request, response } = exchange;
  const { credential, refusals } = route;
  if (credential === null) return null;
  const heard: Parameters<IdentifyCaller>[1] = {
    onRate: (rate) => showRate(response, rate),
    onKey: ({ id, prefix, accountId, accounts }) =>
      context.log.authenticated(
        accountId === id ? { keyId: id, prefix, accountId: null } : { keyId: id, prefix, accountId, accounts },
      ),
  };
  if ("identify" in credential) return credential.identify(exchange, heard);
  const secret = extractCredential(request.rawHeaders, credential.scheme, equalCredentials);
  if (secret !== null)
    return openRequest({ secret, address: () => callerAddress(request), origin, refusals, ...heard });
  if (credential.required) throw missingCredential();
  return null;
}

function letIn({ shares }: Served, context: RequestContext, caller: Caller): void {
  const { key } = caller;
  context.caller = caller;
  context.share = shares.enter(key.payer);
}

async function countFirst({ countRequest }: Served, { route, context }: Exchange, caller: Caller): Promise<void> {
  try {
    await countRequest(caller, context.id);
  } catch (error) {
    const away = error instanceof Fault && error.code === "service_unavailable";
    if (!away || route.rate !== "counted_if_possible") throw error;
  }
}

/** The end of every request that is refused, wherever it was. What we did not foresee is ours, and stays ours. */
function leave({ events, drain, clock }: Served, exchange: Exchange, error: unknown): void {
  const { route, context, request, response, channel } = exchange;
  const { requestId, log, providerMs } = context;
  const fault = forClient(error instanceof Fault ? error : unforeseen(error), request.headers);
  if (fault.code === "internal_error") events.bug(error, requestId);
  // A process that is leaving keeps no connection: the next request on it would meet nobody.
  if (drain.isDraining() && !response.headersSent) response.setHeader("connection", "close");
  const render = isTold(exchange) ? refusalToSession(response, clock.nowMs()) : route.render;
  const status = channel ? channel.refuse(fault, requestId) : refuse({ request, response, fault, render, requestId });
  log.failed(error);
  log.finished({ ...NOTHING_GENERATED, status, code: fault.code, providerMs, refusal: fault.kept ?? fault.message });
}

/** A session is told about limits in the way of the clients that sign in, where they generate. (interface decision 44) */
const isTold = ({ route, context: { caller } }: Exchange): boolean =>
  caller !== null && caller.key.personId !== null && route.name === "messages";

function tellLimit({ recentLimits }: Pick<Parts, "recentLimits">, { response }: Exchange, { key }: Caller): void {
  const limit = recentLimits(key);
  if (limit === null || response.headersSent) return;
  const headers = limitHeaders({ used: limit.share, renewsAtMs: limit.renewsAtMs });
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

const refusalToSession =
  (response: ServerResponse, nowMs: number): RenderFault =>
  (fault, requestId) => {
    if (!response.headersSent)
      for (const name of response.getHeaderNames().filter(isLimitHeader)) response.removeHeader(name);
    return renderToSession(fault, requestId, nowMs);
  };

type Rate = Parameters<Caller["onRate"]>[0];

/** What is left of a key's requests per minute, under the names and in the form that clients of Format A know. */
function showRate(response: ServerResponse, { limit, remaining, resetMs }: Rate): void {
  if (response.headersSent) return;
  response.setHeader("x-ratelimit-limit-requests", String(limit));
  response.setHeader("x-ratelimit-remaining-requests", String(remaining));
  response.setHeader("x-ratelimit-reset-requests", `${Math.ceil(resetMs / 1000)}s`);
}

/** An answer is under way until its last byte has left: a process that ends earlier would cut off a slow caller. */
function whenSent(response: ServerResponse, done: () => void): void {
  if (response.writableLength === 0 || response.destroyed) done();
  else response.once("close", done);
}

export const unforeseen = (cause: unknown): Fault =>
  new Fault("internal_error", "Unexpected gateway error. It is safe to retry. If it persists, report the request id.", {
    cause,
  });
