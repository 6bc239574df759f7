import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { MemberEdits } from "../../wire/json/edit-members.ts";
import { ENCRYPTED_THOUGHTS, includedIn } from "../../wire/responses/included.ts";
import { upstreamRequest } from "../form/upstream-request.ts";
import type { Told } from "../translator.ts";

/**
 * A provider that is told to store nothing forgets its thoughts, and a caller can bring back only what it was given. So they are asked
 * for, and the caller is given them, though it did not ask: its next turn is refused without. [interface decision 13]
 */
export function responsesUpstreamRequest(
  request: GenerationRequest,
  told: Told,
  wanted: Readonly<MemberEdits> = {},
): Buffer {
  if (told.thoughts !== true) return upstreamRequest(request, told, wanted);
  const include = JSON.stringify([...new Set([...includedIn(request), ENCRYPTED_THOUGHTS])]);
  return upstreamRequest(request, told, { ...wanted, include });
}
