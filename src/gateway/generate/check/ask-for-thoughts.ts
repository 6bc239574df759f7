import { canReason, isSaidToReason } from "../../../catalogue/can-reason.ts";
import type { Model } from "../../../catalogue/model.ts";
import type { Route } from "../../../core/catalogue/route.ts";
import type { ProviderRefusal } from "../../../upstream/refusal/read-refusal.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";
import { ENCRYPTED_THOUGHTS, includedIn } from "../../../wire/responses/included.ts";
import { asksForThinking, turnsReasoningOff } from "../../../wire/turns-reasoning-off.ts";

/** Of one request: who is asked for encrypted thoughts that its caller did not ask for. */
type AskedForThoughts = {
  of: (route: Route) => boolean;
  /** Whether a refusal is one of these thoughts, so that the route is to be asked again without. */
  refused: (route: Route, refusal: ProviderRefusal) => boolean;
  answered: (route: Route) => void;
};

export type AskForThoughts = (request: GenerationRequest, model: Model) => AskedForThoughts;

/**
 * Models that do not reason refuse to be asked for thoughts, and operators seldom say which do. So a route that refused, and answered
 * without, is not asked again; a refusal alone shows nothing, since a caller can provoke one.
 */
export function createAskForThoughts(): AskForThoughts {
  const unable = new WeakSet<Route>();
  return (request, model) => {
    const refusing = new Set<Route>();
    const of = (route: Route): boolean =>
      !unable.has(route) && !refusing.has(route) && mayHaveThoughts(request, model, route);
    return {
      of,
      refused: (route, refusal) => {
        if (!of(route) || !isOfThoughts(refusal)) return false;
        refusing.add(route);
        return true;
      },
      answered: (route) => {
        if (refusing.has(route)) unable.add(route);
      },
    };
  };
}

/** A server that speaks the format with an accent may know none of it, and is asked only where it is known to think. */
function mayHaveThoughts(request: GenerationRequest, model: Model, route: Route): boolean {
  if (request.dialect !== "responses" || route.dialect !== "responses" || !canReason(model)) return false;
  if (turnsReasoningOff(request, "any") || includedIn(request).includes(ENCRYPTED_THOUGHTS)) return false;
  return route.conformant || isSaidToReason(model) || asksForThinking(request);
}

/** By the name of the field, or by what is in it. What a caller brought and nobody could decrypt has a code of its own. */
const isOfThoughts = ({ message, names, param }: ProviderRefusal): boolean =>
  !names.has("invalid_encrypted_content") &&
  (param.startsWith("include") || /\binclude\b|encrypted.content/i.test(message));
