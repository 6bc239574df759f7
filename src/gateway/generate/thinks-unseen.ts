import { canReason, isSaidToReason } from "../../catalogue/can-reason.ts";
import type { Model } from "../../catalogue/model.ts";
import type { Pace } from "../../core/pace.ts";
import type { Route } from "../../core/route.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { asksForThinking, turnsReasoningOff } from "../../wire/turns-reasoning-off.ts";

/** Whether a request lets its model think: in so many words, or by saying nothing in a format where that is leave. */
export type Leave = "told" | "untold" | "forbidden";

export function leaveToThink(request: GenerationRequest, { dialect }: Pick<Route, "dialect">): Leave {
  if (turnsReasoningOff(request)) return "forbidden";
  // In this format a model thinks only when it is told to; in the others, unless it is told not to.
  return dialect !== "messages" || request.dialect !== "messages" || asksForThinking(request) ? "told" : "untold";
}

/**
 * Whether the silence of a model is work: only where it is known to think. Either the operator says so, or its provider has counted
 * such tokens for a request like this one. [interface decision 20]
 */
export function thinksUnseen(model: Model, leave: Leave, { thinks }: Pick<Pace, "thinks">): boolean {
  if (leave === "forbidden" || !canReason(model)) return false;
  return thinks[leave] || (leave === "told" && isSaidToReason(model));
}
