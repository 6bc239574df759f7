import { cloudBetas } from "../../wire/messages/cloud-betas.ts";
import type { AnswerMode, CallHeaders } from "../call-convention.ts";
import { bearer } from "./bearer.ts";
import { pathSegment } from "./path-segment.ts";
import type { PlatformConventions } from "./platform-conventions.ts";

const GEMINI: Record<AnswerMode, string> = {
  whole: ":generateContent",
  // Without this parameter a stream is one long JSON array.
  streamed: ":streamGenerateContent?alt=sse",
};
const CLAUDE: Record<AnswerMode, string> = { whole: ":rawPredict", streamed: ":streamRawPredict" };

/** The day of a version stands behind this mark, which paths may have. */
const named = (model: string): string => pathSegment(model).replaceAll("%40", "@");

/** Those that an account has tuned are endpoints of its own. */
function geminiPath(model: string): string {
  const own = /^endpoints\/(.+)$/.exec(model)?.[1];
  return own === undefined
    ? `/publishers/google/models/${named(model.replace(/^models\//, ""))}`
    : `/endpoints/${named(own)}`;
}

const claudePath = (model: string): string => `/publishers/anthropic/models/${named(model)}`;

/** Version and model of messages are told elsewhere, and an unknown flag is refused. */
function told({ "anthropic-version": _version, "anthropic-beta": flags, ...headers }: CallHeaders): CallHeaders {
  const betas = cloudBetas(flags, "vertex").join(",");
  return betas === "" ? headers : { ...headers, "anthropic-beta": betas };
}

/** Google's cloud. Base URLs end with the location: `https://HOST/v1/projects/PROJECT/locations/LOCATION`. */
export const VERTEX: PlatformConventions = {
  gemini: { path: (answerMode, model) => geminiPath(model) + GEMINI[answerMode] },
  messages: {
    path: (answerMode, model) => claudePath(model) + CLAUDE[answerMode],
    countPath: () => "/publishers/anthropic/models/count-tokens:rawPredict",
    credential: bearer,
    headers: {},
    told,
  },
  chat: { path: () => "/endpoints/openapi/chat/completions" },
};
