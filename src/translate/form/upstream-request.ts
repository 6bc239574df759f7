import type { GenerationRequest } from "../../wire/generation-request.ts";
import { editMembers, type MemberEdits } from "../../wire/json/edit-members.ts";
import type { Told } from "../translator.ts";

/**
 * The caller's own bytes with only what must differ: what its format never passes on, what this provider wants besides, the
 * provider's name of the model, and the output limit that was paid for.
 */
export function upstreamRequest(
  request: GenerationRequest,
  { upstreamModel, maxOutputTokens }: Told,
  wanted: Readonly<MemberEdits> = {},
): Buffer {
  const edits: MemberEdits = { ...request.edits, ...wanted };
  if (upstreamModel !== request.model) edits["model"] = JSON.stringify(upstreamModel);
  if (maxOutputTokens !== null) edits[request.maxOutputTokensField] = String(maxOutputTokens);
  return Object.keys(edits).length === 0 ? request.bytes : editMembers(request.bytes, request.members, edits);
}
