import type { ProviderDialect } from "../core/dialect.ts";
import type { Route } from "../core/route.ts";

export type CallHeaders = Readonly<Record<string, string>>;

/** Whether an answer comes whole or as a stream, which some dialects say in the path. */
export type AnswerMode = "whole" | "streamed";

/** How calls of one dialect are made. What most dialects do not need is absent, and costs their calls nothing. */
export type CallConvention = {
  /** What comes after the base URL. */
  path: (answerMode: AnswerMode, upstreamModel: string) => string;
  credential: (secret: string, route: Route) => CallHeaders;
  /** What every call of this dialect needs, whatever the caller said. */
  headers?: CallHeaders;
  /** Exchanges the secret for a token, which then stands in its place. Rejects, with words for an operator, when it cannot. */
  exchange?: (secret: string, means: ExchangeMeans) => Promise<Token>;
  /** The further headers of one call, for providers that want each signed by itself. Throws when the secret is none to sign with. */
  sign?: (secret: string, call: SignedCall) => CallHeaders;
  /** Made once per streamed answer, for providers that stream in a framing of their own. */
  events?: () => ToEvents;
};

/** A credential for a while. */
export type Token = { secret: string; lastsMs: number };

export type ExchangeMeans = {
  route: Route;
  nowMs: () => number;
  post: (url: string, request: { headers: CallHeaders; body: Buffer }) => Promise<{ status: number; body: Buffer }>;
};

/** All of a call that a signature may cover. It is sent by POST. */
export type SignedCall = { origin: string; path: string; headers: CallHeaders; body: Buffer; nowMs: number };

/** The next bytes of an answer as whole server-sent events, none as yet included. Throws when they are not of its framing. */
export type ToEvents = (bytes: Buffer) => Buffer;

/** A dialect without a row cannot be called, so its routes are left out of every plan. */
export type CallConventions = Partial<Record<ProviderDialect, CallConvention>>;
