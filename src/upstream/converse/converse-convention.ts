import type { AnswerMode, CallConvention } from "../call-convention.ts";
import { createNamedFrames } from "../frames/named-frames.ts";
import { createUnframe } from "../frames/unframe.ts";
import { bearer } from "../platform/bearer.ts";
import { pathSegment } from "../platform/path-segment.ts";

const OPERATIONS: Record<AnswerMode, string> = { whole: "converse", streamed: "converse-stream" };

/** What an answer took is told with the last frame of its stream, without which it is not whole. */
const LAST = "metadata";

export const createConverseFrames = createNamedFrames(LAST);

/** The model stands in the path, with a region in front of its name or an address around it. */
export const converseConvention: CallConvention = {
  path: (answerMode, upstreamModel) => `/model/${pathSegment(upstreamModel)}/${OPERATIONS[answerMode]}`,
  // A key of Bedrock; whoever has others signs each call instead.
  credential: bearer,
  unframe: createUnframe(createConverseFrames),
};
