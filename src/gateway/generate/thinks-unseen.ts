import { canReason } from "../../catalogue/can-reason.ts";
import type { Model } from "../../catalogue/model.ts";
import type { Route } from "../../core/route.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { asksForThinking, turnsReasoningOff } from "../../wire/turns-reasoning-off.ts";

/** Whether a model may think before and between what it says, so that its silence may be work. [interface decision 20] */
export function thinksUnseen(model: Model, request: GenerationRequest, { dialect }: Route): boolean {
  if (!canReason(model) || turnsReasoningOff(request)) return false;
  // In this format a model thinks only when it is told to; in the others, unless it is told not to.
  return dialect !== "messages" || request.dialect !== "messages" || asksForThinking(request);
}
