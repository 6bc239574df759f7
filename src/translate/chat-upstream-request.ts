import type { Told } from "./translator.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import { editMembers, type MemberEdits } from "../wire/json/edit-members.ts";

/**
 * The caller's own bytes with only what must differ: the provider's name of the model; the output limit that was paid for;
 * usage always asked for, since we charge by it; and nothing kept on the provider's side, since strangers share one account
 * there.
 */
export function chatUpstreamRequest(request: GenerationRequest, { upstreamModel, maxOutputTokens }: Told): Buffer {
  const edits: MemberEdits = {};
  if (upstreamModel !== request.model) edits["model"] = JSON.stringify(upstreamModel);
  if (maxOutputTokens !== null) edits[request.maxOutputTokensField] = String(maxOutputTokens);
  if (request.stream && !request.wantsUsageEvent) edits["stream_options"] = `{"include_usage":true}`;
  if (request.members.list.some(({ name }) => name === "store")) edits["store"] = "false";
  return Object.keys(edits).length === 0 ? request.bytes : editMembers(request.bytes, request.members, edits);
}
