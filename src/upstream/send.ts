import type { Clock } from "../core/clock.ts";
import type { Sink } from "../core/sink.ts";
import type { CallConventions, CallHeaders, AnswerMode } from "./call-convention.ts";
import { asEvents } from "./as-events.ts";
import { call, type Call } from "./provider-call.ts";
import { createExchangeSecret } from "./exchange-secret.ts";
import type { Pools } from "./pools.ts";
import { createPrepareRoute, orMisconfigured, type PreparedRoute } from "./prepare-route.ts";
import type { Quirks } from "./providers.ts";
import type { Route } from "../core/route.ts";
import { type CredentialOf, type UpstreamAnswer, UpstreamError } from "./upstream.ts";

export type Outgoing = {
  route: Route;
  answerMode: AnswerMode;
  /** What is asked for below the operation's path; absent, the operation itself. */
  below?: string;
  /** What this call is told in headers on the caller's behalf. */
  headers: CallHeaders;
  bodyFor: (route: Route, quirks: Quirks) => Buffer | Promise<Buffer>;
  /** Covers everything until the answer begins, the wait for a token included. */
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  sink: Pick<Sink, "onGone">;
};

export type Send = (outgoing: Outgoing) => Promise<UpstreamAnswer>;

type Parts = { pools: Pools; credential: CredentialOf; conventions: CallConventions; clock: Clock };

/** Makes calls as their dialect's row says they are made. */
export function createSend({ pools, credential, conventions, clock }: Parts): Send {
  const prepare = createPrepareRoute(credential, conventions);
  const exchangeSecret = createExchangeSecret({ pools, clock });

  return async (outgoing) => {
    const { route, answerMode, below = "", idleTimeoutMs, sink } = outgoing;
    const prepared = prepare(route);
    const body = await outgoing.bodyFor(route, prepared.quirks);
    // From here on: how long the body takes to write is not the provider's doing.
    const giveUpAtMs = clock.elapsedMs() + outgoing.firstByteTimeoutMs;
    const shown = exchangeSecret(prepared, route);
    const secret = shown instanceof Promise ? await patiently(shown, outgoing) : shown;
    const { events } = prepared.convention;
    const answer = await call(pools, {
      ...written({ prepared, outgoing, body, secret, path: prepared.paths[answerMode] + below }),
      connectTimeoutMs: route.connectTimeoutMs,
      firstByteTimeoutMs: giveUpAtMs - clock.elapsedMs(),
      idleTimeoutMs,
      sink,
    });
    if (events === undefined || answerMode === "whole" || answer.status !== 200) return answer;
    return { ...answer, body: asEvents(answer.body, events()) };
  };

  function written({
    prepared,
    outgoing,
    body,
    secret,
    path,
  }: Writing): Pick<Call, "origin" | "path" | "headers" | "body"> {
    const { origin, convention } = prepared;
    const { route } = outgoing;
    const { exchange, sign } = convention;
    const headers = { ...prepared.headers, ...outgoing.headers };
    if (secret === null || !(exchange || sign)) return { origin, path, headers, body };
    const shown = exchange ? { ...headers, ...convention.credential(secret, route) } : headers;
    const unsigned = { origin, path, headers: shown, body };
    const signature = sign && orMisconfigured(() => sign(secret, { ...unsigned, nowMs: clock.nowMs() }));
    return { ...unsigned, headers: { ...shown, ...signature } };
  }
}

type Writing = { prepared: PreparedRoute; outgoing: Outgoing; body: Buffer; secret: string | null; path: string };

/** A token is waited for no longer than an answer, and not for a caller that has left. */
function patiently<T>(waiting: Promise<T>, { firstByteTimeoutMs, sink }: Outgoing): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new UpstreamError("misconfigured", new Error("no token in time")));
    const timer = setTimeout(giveUp, firstByteTimeoutMs);
    sink.onGone(giveUp);
    waiting.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
