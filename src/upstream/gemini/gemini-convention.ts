import type { AnswerMode, CallConvention } from "../call-convention.ts";
import { geminiRefusal } from "./gemini-refusal.ts";

/** Models of Google's own, and those that an account has tuned; a name without either is of the first kind. */
const COLLECTION = /^(?:models|tunedModels)\//;

const VERBS: Record<AnswerMode, string> = {
  whole: ":generateContent",
  // Without this parameter a stream is one long JSON array.
  streamed: ":streamGenerateContent?alt=sse",
};

/** The model stands in the path, so that whatever it is called may not become more of the path than a name. */
export const geminiConvention: CallConvention = {
  path: (answerMode, upstreamModel) => {
    const collection = COLLECTION.exec(upstreamModel)?.[0] ?? "models/";
    const name = upstreamModel.replace(COLLECTION, "").toWellFormed();
    return `/${collection}${encodeURIComponent(name)}${VERBS[answerMode]}`;
  },
  credential: (secret) => ({ "x-goog-api-key": secret }),
  refusal: geminiRefusal,
};
