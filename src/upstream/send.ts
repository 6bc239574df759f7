import type { Sink } from "../core/sink.ts";
import type { CallConventions, CallHeaders, AnswerMode } from "./call-convention.ts";
import { callProvider } from "./provider-call.ts";
import type { Pools } from "./pools.ts";
import { createPrepareRoute } from "./prepare-route.ts";
import type { Quirks } from "./providers.ts";
import type { Route } from "../core/route.ts";
import type { CredentialOf, UpstreamAnswer } from "./upstream.ts";

export type Outgoing = {
  route: Route;
  answerMode: AnswerMode;
  /** What is asked for below the operation's path; absent, the operation itself. */
  below?: string;
  /** What this call is told in headers on the caller's behalf. */
  headers: CallHeaders;
  bodyFor: (route: Route, quirks: Quirks) => Buffer | Promise<Buffer>;
  /** Covers everything from the body that is ready until the answer begins. */
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  sink: Pick<Sink, "onGone">;
};

export type Send = (outgoing: Outgoing) => Promise<UpstreamAnswer>;

type Parts = { pools: Pools; credential: CredentialOf; conventions: CallConventions };

/** Makes calls as their dialect's row says they are made. */
export function createSend({ pools, credential, conventions }: Parts): Send {
  const prepare = createPrepareRoute(credential, conventions);
  return async ({ route, answerMode, below = "", headers, bodyFor, firstByteTimeoutMs, idleTimeoutMs, sink }) => {
    const prepared = prepare(route);
    return callProvider(pools, {
      origin: prepared.origin,
      path: prepared.paths[answerMode] + below,
      headers: { ...prepared.headers, ...headers },
      body: await bodyFor(route, prepared.quirks),
      connectTimeoutMs: route.connectTimeoutMs,
      firstByteTimeoutMs,
      idleTimeoutMs,
      sink,
    });
  };
}
