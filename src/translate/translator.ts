import type { MemberPolicy } from "../core/request/member-policy.ts";
import type { SoldCache } from "../core/money/price.ts";
import type { DialectQuirks } from "../wire/dialect-quirks.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import type { AnswerStage, PlainAnswer } from "./answer-stage.ts";

/** What a provider is told in place of the caller's own words. */
export type Told = {
  upstreamModel: string;
  /** The output limit to set; null leaves the request as it is. */
  maxOutputTokens: number | null;
  /** Where it differs from other providers of its dialect, in terms of that dialect; absent, it does not. */
  quirks?: Partial<DialectQuirks>;
  /** False: the model does not reason, and refuses to be asked to. Only a translated request is made without. */
  reasoning?: boolean;
  /** True: it is asked for its thoughts, encrypted, whether or not the caller asks. A translation asks for what the caller's format can carry. */
  thoughts?: boolean;
  /** What the provider is told of members that nobody here knows; absent, all of them. A translation tells none. */
  members?: MemberPolicy;
  /** How often it may run each tool of its own at most; absent, as often as the caller lets it. */
  mostCalls?: number;
  /** What it may be asked to cache; absent, whatever the caller asks for. */
  cache?: SoldCache;
};

/** What an answer that is written here, and not by the provider, says of where it comes from. */
export type AnswerOrigin = {
  requestId: string;
  createdAtSeconds: number;
  /** What the provider calls the model; absent, it is not known. */
  upstreamModel?: string;
};

/** Between the format of a caller and the format of one route's provider. */
export type Translator = {
  request: (request: GenerationRequest, told: Told) => Buffer;
  /** Throws a fault when the provider's answer cannot be read. */
  plain: (bytes: Buffer, request: GenerationRequest, origin: AnswerOrigin) => PlainAnswer;
  stage: (request: GenerationRequest, origin: AnswerOrigin) => AnswerStage;
};

/** Where both speak one format, the answer is the provider's own and says itself where it comes from. */
export type SameFormat = {
  request: Translator["request"];
  plain: (bytes: Buffer, request: GenerationRequest) => PlainAnswer;
  stage: (request: GenerationRequest) => AnswerStage;
};
