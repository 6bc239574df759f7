import type { CallHeaders } from "../call-convention.ts";
import { createInvokeFrames } from "../frames/invoke-frames.ts";
import { createUnframe } from "../frames/unframe.ts";
import { bearer } from "./bearer.ts";
import { pathSegment } from "./path-segment.ts";
import type { PlatformConventions } from "./platform-conventions.ts";

/** Names of models are resource names, too: of a slash that is not encoded Bedrock makes an address that it answers with success. */
const modelPath = (model: string): string => `/model/${pathSegment(model)}`;

/** Version and flags of messages stand in its bodies. */
const told = ({ "anthropic-version": _version, "anthropic-beta": _flags, ...headers }: CallHeaders): CallHeaders =>
  headers;

/** Amazon's cloud, at `https://bedrock-runtime.REGION.amazonaws.com`. */
export const BEDROCK: PlatformConventions = {
  messages: {
    path: (answerMode, model) =>
      modelPath(model) + (answerMode === "whole" ? "/invoke" : "/invoke-with-response-stream"),
    countPath: (model) => `${modelPath(model)}/count-tokens`,
    credential: bearer,
    headers: {},
    told,
    unframe: createUnframe(createInvokeFrames),
  },
};
