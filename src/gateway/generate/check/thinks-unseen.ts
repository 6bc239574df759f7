import { canReason, isSaidToReason } from "../../../catalogue/can-reason.ts";
import type { Model } from "../../../catalogue/model.ts";
import type { Pace } from "../../../core/request/pace.ts";
import type { Route } from "../../../core/catalogue/route.ts";
import { isOpenAi, thinksWhenTold } from "../../../translate/converse/models.ts";
import { thinksUnasked } from "../../../translate/form/claude/thinking.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";
import { asksForThinking, turnsReasoningOff } from "../../../wire/turns-reasoning-off.ts";

/** Whether a request lets its model think: in so many words, or by saying nothing to a model that then does; by saying nothing to another; or not. */
export type Leave = "told" | "untold" | "forbidden";

export function leaveToThink(request: GenerationRequest, route: Pick<Route, "dialect" | "upstreamModel">): Leave {
  const isStraight = route.dialect === request.dialect;
  const habit = habitOf(route);
  // A translation to such a model can ask for little thought, and not for none.
  if (turnsReasoningOff(request, isStraight ? "any" : "own") && (isStraight || habit !== "always")) return "forbidden";
  return habit !== "when told" || asksForThinking(request) ? "told" : "untold";
}

/** Most models of messages think only when they are told to, whoever sells them; those of the other formats, unless they are told not to. */
function habitOf({ dialect, upstreamModel: model }: Pick<Route, "dialect" | "upstreamModel">): Habit {
  const isOfMessages = dialect === "messages" || (dialect === "converse" && thinksWhenTold(model));
  if (isOfMessages) return thinksUnasked(model) ? "always" : "when told";
  return dialect === "converse" && isOpenAi(model) ? "always" : "unless told not to";
}

type Habit = "always" | "when told" | "unless told not to";

/**
 * Whether the silence of a model is work: only where it is known to think. Either the operator says so, or its provider has counted
 * such tokens for a request that gave it the same leave. [interface decision 20]
 */
export function thinksUnseen(model: Model, leave: Leave, { thinks }: Pick<Pace, "thinks">): boolean {
  if (!canReason(model)) return false;
  return thinks[leave] || (leave === "told" && isSaidToReason(model));
}
