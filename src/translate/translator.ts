import type { GenerationRequest } from "../wire/generation-request.ts";
import type { AnswerStage, PlainAnswer } from "./answer-stage.ts";

/** Between the format of a caller and the format of one route's provider. */
export type Translator = {
  request: (request: GenerationRequest, upstreamModel: string) => Buffer;
  /** Throws a fault when the provider's answer cannot be read. */
  plain: (bytes: Buffer, request: GenerationRequest) => PlainAnswer;
  stage: (request: GenerationRequest) => AnswerStage;
};
