import type { GenerationRequest } from "../wire/generation-request.ts";
import type { AnswerStage, PlainAnswer } from "./answer-stage.ts";

/** What a provider is told in place of the caller's own words. */
export type Told = {
  upstreamModel: string;
  /** The output limit to set; null leaves the request as it is. */
  maxOutputTokens: number | null;
};

/** Between the format of a caller and the format of one route's provider. */
export type Translator = {
  request: (request: GenerationRequest, told: Told) => Buffer;
  /** Throws a fault when the provider's answer cannot be read. */
  plain: (bytes: Buffer, request: GenerationRequest) => PlainAnswer;
  stage: (request: GenerationRequest) => AnswerStage;
};
