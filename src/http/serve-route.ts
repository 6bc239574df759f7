import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../core/clock.ts";
import type { ClientDialect } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import { KEY_MODES, type KeyMode, ORIGIN_PREFIX } from "../core/key-mode.ts";
import type { Caller, OpenRequest } from "../gateway/open-request.ts";
import type { Events } from "../telemetry/events.ts";
import type { RequestFinished } from "../telemetry/request-line.ts";
import type { RouteName } from "../telemetry/route-name.ts";
import type { RenderFault } from "../wire/errors/shape.ts";
import type { CallerAddress } from "./caller-address.ts";
import { type CredentialScheme, type EqualCredentials, extractCredential, missingCredential } from "./credential.ts";
import type { Drain } from "./drain.ts";
import type { KeyShares } from "./key-shares.ts";
import { refuse } from "./refuse.ts";
import { showRate } from "./show-rate.ts";
import type { Router } from "./router.ts";
import type { RequestContext } from "./request-context.ts";

/** `below`: what follows a path that ends in `/*`, as it was written; else empty. */
export type Call = { context: RequestContext; request: IncomingMessage; response: ServerResponse; below: string };

export type RouteDescription = {
  method: "GET" | "POST";
  path: string;
  /** How logs and metrics call it. */
  name: RouteName;
  dialect: ClientDialect | null;
  render: RenderFault;
  credential: { scheme: CredentialScheme; required: boolean };
  /** Whether this route may say 403. */
  refusals: "full" | "unauthorised_only";
  work: (call: Call) => Promise<RequestFinished>;
};

/** The end of a request that led to no generation. */
export const NOTHING_GENERATED = {
  code: null,
  outcome: null,
  model: null,
  streamed: false,
  inputTokens: 0,
  outputTokens: 0,
  providerMs: 0,
  bytesOut: 0,
};

export type Door = { route: (router: Router, description: RouteDescription) => void };

type Parts = {
  openRequest: OpenRequest;
  callerAddress: CallerAddress;
  events: Events;
  drain: Drain;
  clock: Clock;
  shares: KeyShares;
  /** Ends something that takes long: whether there was anything. */
  makeRoom: () => boolean;
  maxOpenRequests: number;
  equalCredentials: EqualCredentials;
};

/**
 * What happens to every request on its way in and out: an id, a place among the open ones, a credential checked from the
 * headers, the work, and exactly one end.
 */
export function createDoor(parts: Parts): Door {
  const { openRequest, callerAddress, events, drain, clock, shares, makeRoom, maxOpenRequests, equalCredentials } =
    parts;

  function open({ name, dialect, method }: RouteDescription): RequestContext {
    const id = createId(clock.nowMs());
    const requestId = requestIdOf(id);
    const log = events.requestOpened({ requestId, route: name, dialect, method });
    drain.opened();
    return {
      id,
      requestId,
      route: name,
      startedAtMs: clock.elapsedMs(),
      log,
      caller: null,
      share: null,
      providerMs: 0,
    };
  }

  /** Past these bounds the answer is 503, not a queue that grows. */
  function requireRoom(): void {
    if (drain.isDraining()) {
      throw new Fault("service_unavailable", "This gateway is shutting down. Try again; another one will answer.", {
        retryAfterSeconds: 1,
      });
    }
    if (drain.openRequests() > maxOpenRequests && !makeRoom()) {
      throw new Fault("service_unavailable", `This gateway already has ${maxOpenRequests} requests open. Try again.`, {
        retryAfterSeconds: 1 + Math.floor(Math.random() * 4),
      });
    }
  }

  /** Who is calling, from the headers alone; nothing to wait for when the key is remembered. */
  function credential({ request, response }: Call, origin: KeyMode, description: RouteDescription) {
    const secret = extractCredential(request.rawHeaders, description.credential.scheme, equalCredentials);
    if (secret !== null)
      return openRequest({
        secret,
        address: () => callerAddress(request),
        origin,
        refusals: description.refusals,
        onRate: (rate) => showRate(response, rate),
      });
    if (description.credential.required) throw missingCredential();
    return null;
  }

  async function serve(call: Call, origin: KeyMode, description: RouteDescription): Promise<void> {
    const { context, response } = call;
    try {
      requireRoom();
      const opened = credential(call, origin, description);
      const caller = opened instanceof Promise ? await opened : opened;
      if (caller !== null) letIn(context, caller);
      context.log.finished(await description.work(call));
    } catch (error) {
      leave(call, description.render, error);
    } finally {
      whenSent(response, () => {
        context.share?.leave();
        drain.closed();
      });
    }
  }

  function letIn(context: RequestContext, caller: Caller): void {
    const { key } = caller;
    context.caller = caller;
    context.share = shares.enter(key.id);
    context.log.authenticated({ keyId: key.id, prefix: key.prefix });
  }

  /** The end of every request that is refused, wherever it was. What we did not foresee is ours, and stays ours. */
  function leave({ context, request, response }: Call, render: RenderFault, error: unknown): void {
    const { requestId, log, providerMs } = context;
    const fault = error instanceof Fault ? error : unforeseen(error);
    if (fault.code === "internal_error") events.bug(error, requestId);
    // A process that is leaving keeps no connection: the next request on it would meet nobody.
    if (drain.isDraining() && !response.headersSent) response.setHeader("connection", "close");
    const status = refuse({ request, response, fault, render, requestId });
    log.failed(error);
    log.finished({ ...NOTHING_GENERATED, status, code: fault.code, providerMs });
  }

  return {
    route: (router, description) => {
      for (const origin of KEY_MODES) {
        router.add(description.method, `${ORIGIN_PREFIX[origin]}${description.path}`, (request, response, below) => {
          void serve({ context: open(description), request, response, below }, origin, description);
        });
      }
    },
  };
}

/** An answer is under way until its last byte has left: a process that ends earlier would cut off a slow caller. */
function whenSent(response: ServerResponse, done: () => void): void {
  if (response.writableLength === 0 || response.destroyed) done();
  else response.once("close", done);
}

const unforeseen = (cause: unknown): Fault =>
  new Fault("internal_error", "Something went wrong in the gateway. Trying again is safe.", { cause });
