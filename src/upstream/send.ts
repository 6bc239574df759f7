import type { Sink } from "../core/request/sink.ts";
import type { CallConventions, CallHeaders, AnswerMode } from "./call-convention.ts";
import { callProvider } from "./provider-call.ts";
import type { Pools } from "./pools.ts";
import { createPrepareRoute, type PreparedRoute, signed } from "./route/prepare-route.ts";
import type { CallSigner } from "../core/catalogue/call-credential.ts";
import type { Quirks } from "./providers.ts";
import type { Route } from "../core/catalogue/route.ts";
import type { CredentialOf, UpstreamAnswer } from "./upstream.ts";

export type Outgoing = {
  route: Route;
  answerMode: AnswerMode;
  /** Whether only the tokens of its input are asked for; absent, an answer is. */
  asks?: "answer" | "count";
  /** What this call is told in headers on the caller's behalf. */
  headers: CallHeaders;
  bodyFor: (route: Route, quirks: Quirks) => Buffer | Promise<Buffer>;
  /** Covers everything from the body that is ready until the answer begins. */
  firstByteTimeoutMs: number;
  /** Covers the wait for a free connection; absent, as long as the answer may take to begin. */
  connectionTimeoutMs?: number;
  idleTimeoutMs: number;
  sink: Pick<Sink, "onGone">;
};

type Addressed = { origin: string; path: string; headers: Record<string, string>; body: Buffer };

/** Throws at once when the route cannot be called. */
export type Send = (outgoing: Outgoing) => Promise<UpstreamAnswer>;

type Parts = { pools: Pools; credential: CredentialOf; conventions: CallConventions };

/** Makes calls as their dialect's row says they are made. */
export function createSend({ pools, credential, conventions }: Parts): Send {
  const prepare = createPrepareRoute(credential, conventions);
  return (outgoing) => {
    const { route } = outgoing;
    const prepared = prepare(route);
    const body = outgoing.bodyFor(route, prepared.quirks);
    if (body instanceof Promise) return body.then((bytes) => call(outgoing, prepared, bytes));
    return call(outgoing, prepared, body);
  };

  function call(outgoing: Outgoing, prepared: PreparedRoute, body: Buffer): Promise<UpstreamAnswer> {
    const { answerMode, asks = "answer", sink } = outgoing;
    const { signer, origin, told, unframe } = prepared;
    const path = prepared.paths[asks === "count" ? asks : answerMode];
    const own = told === null ? outgoing.headers : told(outgoing.headers);
    const headers = hasAny(own) ? { ...prepared.headers, ...own } : prepared.headers;
    const addressed = { origin, path, headers, body };
    const answer = signer === null ? dispatch(outgoing, addressed) : callSigned(outgoing, addressed, signer);
    if (unframe === null || answerMode === "whole") return answer;
    return answer.then((framed) => unframe(framed, sink));
  }

  /** What is refused because it has ended, or seems to by a clock that is wrong, is sent once more with a newer one. */
  async function callSigned(outgoing: Outgoing, addressed: Addressed, signer: CallSigner): Promise<UpstreamAnswer> {
    const { origin, path, headers, body } = addressed;
    const { host } = new URL(origin);
    const endsAtMs = performance.now() + outgoing.firstByteTimeoutMs;
    const send = async (): Promise<UpstreamAnswer> => {
      const call = { method: "POST", host, path, headers, body } as const;
      const made = await signed(call, signer, endsAtMs - performance.now());
      const firstByteTimeoutMs = Math.max(1, endsAtMs - performance.now());
      return dispatch({ ...outgoing, firstByteTimeoutMs }, { ...addressed, headers: made });
    };
    const answer = await send();
    const isRefused = answer.status === 401 || answer.status === 403;
    if (!isRefused || !(await signer.renew())) return answer;
    answer.body.cancel();
    return send();
  }

  function dispatch(outgoing: Outgoing, addressed: Addressed): Promise<UpstreamAnswer> {
    const { route, firstByteTimeoutMs, idleTimeoutMs, sink } = outgoing;
    const { connectionTimeoutMs = firstByteTimeoutMs } = outgoing;
    return callProvider(pools, {
      ...addressed,
      connectTimeoutMs: route.connectTimeoutMs,
      firstByteTimeoutMs,
      connectionTimeoutMs,
      idleTimeoutMs,
      sink,
    });
  }
}

function hasAny(headers: CallHeaders): boolean {
  for (const _ in headers) return true;
  return false;
}
