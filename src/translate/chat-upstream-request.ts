import type { GenerationRequest } from "../wire/generation-request.ts";
import type { MemberEdits } from "../wire/json/edit-members.ts";
import type { Told } from "./translator.ts";
import { upstreamRequest } from "./upstream-request.ts";

const USAGE_EVENT = `{"include_usage":true}`;

/** Usage is always asked for, since we charge by it; a provider that refuses to be asked tells it anyway. */
export function chatUpstreamRequest(request: GenerationRequest, told: Told): Buffer {
  const { upstreamModel, maxOutputTokens, chat } = told;
  const edits: MemberEdits = {};
  if (chat?.streamOptions === "refused") edits["stream_options"] = null;
  else if (request.stream && !request.wantsUsageEvent) edits["stream_options"] = USAGE_EVENT;
  if (maxOutputTokens !== null) {
    edits[chat?.outputLimitField ?? request.maxOutputTokensField] = String(maxOutputTokens);
  }
  return upstreamRequest(request, { upstreamModel, maxOutputTokens: null }, edits);
}
