import type { EmbeddingsRequest } from "../../wire/embeddings/embeddings-request.ts";
import { editMembers, type MemberEdits } from "../../wire/json/edit-members.ts";
import { withoutUnknown } from "../../wire/members/unknown-members.ts";
import type { MemberPolicy } from "../../core/request/member-policy.ts";

type Told = { upstreamModel: string; members: MemberPolicy };

/** The caller's own bytes with the provider's name of the model, and without what this provider is not told. */
export function writeEmbeddings(request: EmbeddingsRequest, { upstreamModel, members }: Told): Buffer {
  const told = withoutUnknown(request, members);
  const edits: MemberEdits = { ...told.edits };
  if (upstreamModel !== told.model) edits["model"] = JSON.stringify(upstreamModel);
  return Object.keys(edits).length === 0 ? told.bytes : editMembers(told.bytes, told.members, edits);
}
