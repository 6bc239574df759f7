import type { ProviderDialect } from "../core/dialect.ts";
import type { Quirks } from "./providers.ts";

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
};

export type CallConventions = Record<ProviderDialect, CallConvention>;
