import { Fault } from "../core/fault.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";

/** A limit above the published one is invalid in chat and responses. Messages caps instead. [spec 8] */
export function checkOutputLimit(
  request: Pick<GenerationRequest, "dialect" | "maxOutputTokens" | "maxOutputTokensField">,
  model: { id: string; maxOutputTokens: number | null; outputCeiling: number | null },
): void {
  const asked = request.maxOutputTokens;
  const limit = model.maxOutputTokens ?? model.outputCeiling;
  if (asked === null || limit === null || asked <= limit || request.dialect === "messages") return;
  const param = request.maxOutputTokensField;
  throw new Fault("invalid_request", `${param}: ${asked} is more than ${model.id} can give; ${limit} at most.`, {
    param,
  });
}
