import { fieldFault } from "../../../core/fault.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";

/** A limit above the published one is invalid in chat and responses. Messages caps instead, and so does a model that publishes none. [spec 8] */
export function checkOutputLimit(
  request: Pick<GenerationRequest, "dialect" | "maxOutputTokens" | "maxOutputTokensField">,
  model: { id: string; maxOutputTokens: number | null },
): void {
  const asked = request.maxOutputTokens;
  const limit = model.maxOutputTokens;
  if (asked === null || limit === null || asked <= limit || request.dialect === "messages") return;
  const most = limit.toLocaleString("en-US");
  throw fieldFault(request.maxOutputTokensField, `${model.id} supports at most ${most} output tokens.`);
}
