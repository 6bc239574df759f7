import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { MemberEdits } from "../../wire/json/edit-members.ts";
import { NINE_CHARACTERS } from "../form/tools/call-ids.ts";
import type { Told } from "../translator.ts";
import { callIdEdits } from "./call-ids.ts";
import { upstreamRequest } from "../form/upstream-request.ts";

const USAGE_EVENT = `{"include_usage":true}`;

/** Usage is always asked for, since we charge by it; a provider that refuses to be asked tells it anyway. */
export function chatUpstreamRequest(request: GenerationRequest, told: Told): Buffer {
  const { upstreamModel, quirks } = told;
  const edits = limitEdits(request, told);
  if (quirks?.chat?.callIds === "nine") Object.assign(edits, callIdEdits(request, NINE_CHARACTERS));
  // Labels are for finding what was stored, and chat providers refuse them where nothing is.
  if (asksToStore(request)) edits["metadata"] = null;
  if (quirks?.chat?.streamOptions === "refused") edits["stream_options"] = null;
  else if (request.stream && !request.wantsUsageEvent) edits["stream_options"] = USAGE_EVENT;
  return upstreamRequest(request, { upstreamModel, maxOutputTokens: null }, edits);
}

const LIMITS = ["max_tokens", "max_completion_tokens"] as const;

/**
 * Both names mean one limit, and each caller has its own. A provider that does not know a name refuses the request or, worse,
 * ignores the limit that was paid for; so the limit goes out once, under the name this provider takes.
 */
function limitEdits(request: GenerationRequest, { maxOutputTokens, quirks }: Told): MemberEdits {
  const limit = maxOutputTokens ?? request.maxOutputTokens;
  const field = quirks?.chat?.outputLimitField ?? request.maxOutputTokensField;
  if (limit === null) return {};
  const sent = LIMITS.filter((name) => request.members.list.some((member) => member.name === name));
  const asItIs = maxOutputTokens === null && sent.length === 1 && sent[0] === field;
  if (asItIs) return {};
  return Object.fromEntries([...sent.map((name) => [name, null]), [field, String(limit)]]) as MemberEdits;
}

function asksToStore({ members, bytes }: GenerationRequest): boolean {
  const store = members.list.find(({ name }) => name === "store");
  return store !== undefined && bytes.toString("latin1", store.valueStart, store.valueEnd) === "true";
}
