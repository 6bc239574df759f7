import type { GenerationRequest } from "../wire/generation-request.ts";
import type { Told } from "./translator.ts";
import { upstreamRequest } from "./upstream-request.ts";

const USAGE_EVENT = Object.freeze({ stream_options: `{"include_usage":true}` });

/** Usage is always asked for, since we charge by it. */
export function chatUpstreamRequest(request: GenerationRequest, told: Told): Buffer {
  return upstreamRequest(request, told, request.stream && !request.wantsUsageEvent ? USAGE_EVENT : {});
}
