import type { RouteFormat } from "../core/request/dialect.ts";
import type { Unframe } from "./frames/unframe.ts";
import type { Quirks } from "./providers.ts";
import type { UpstreamAnswer } from "./upstream.ts";

export type CallHeaders = Readonly<Record<string, string>>;

/** Whether an answer comes whole or as a stream, which some dialects say in the path. */
export type AnswerMode = "whole" | "streamed";

/** How calls of one dialect are made. */
export type CallConvention = {
  /** What comes after the base URL. */
  path: (answerMode: AnswerMode, upstreamModel: string) => string;
  /** Where the tokens of a request are counted; absent, below the path of a whole answer. */
  countPath?: (upstreamModel: string) => string;
  credential: (secret: string, quirks: Quirks) => CallHeaders;
  /** What every call of this dialect needs, whatever the caller said. */
  headers?: CallHeaders;
  /** What it is told in headers for its caller, as it is told that here; absent, as it is. */
  told?: (headers: CallHeaders) => CallHeaders;
  /** Makes server-sent events of a streamed answer; absent, it is some. */
  unframe?: Unframe;
  /** A refusal as most dialects would have worded it, for providers that tell in its body what others tell by status and headers. */
  refusal?: (refusal: RefusalHead, body: Buffer) => RefusalHead;
};

/** What is known of a refusal before its words are read. */
export type RefusalHead = Pick<UpstreamAnswer, "status" | "headers">;

export type CallConventions = Record<RouteFormat, CallConvention>;
