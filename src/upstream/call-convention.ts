import type { ProviderDialect } from "../core/request/dialect.ts";
import type { Quirks } from "./providers.ts";
import type { UpstreamAnswer } from "./upstream.ts";

export type CallHeaders = Readonly<Record<string, string>>;

/** Whether an answer comes whole or as a stream, which some dialects say in the path. */
export type AnswerMode = "whole" | "streamed";

/** How calls of one dialect are made. */
export type CallConvention = {
  /** What comes after the base URL. */
  path: (answerMode: AnswerMode, upstreamModel: string) => string;
  credential: (secret: string, quirks: Quirks) => CallHeaders;
  /** What every call of this dialect needs, whatever the caller said. */
  headers?: CallHeaders;
  /** A refusal as most dialects would have worded it, for providers that tell in its body what others tell by status and headers. */
  refusal?: (refusal: RefusalHead, body: Buffer) => RefusalHead;
};

/** What is known of a refusal before its words are read. */
export type RefusalHead = Pick<UpstreamAnswer, "status" | "headers">;

export type CallConventions = Record<ProviderDialect, CallConvention>;
