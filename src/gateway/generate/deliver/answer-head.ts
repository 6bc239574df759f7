import { formatCredits } from "../../../core/money/money.ts";
import type { KeyMode } from "../../../core/people/key-mode.ts";
import type { Route } from "../../../core/catalogue/route.ts";
import type { Key } from "../../../keys/key.ts";
import type { AnswerHead } from "../../../core/request/sink.ts";
import { groupOf, withDropped } from "../../../translate/fidelity/group-routes.ts";
import type { AnswerOrigin } from "../../../translate/translator.ts";
import type { GenerationState } from "../generation.ts";
import { untold } from "../check/untold-members.ts";

/** Where an answer comes from, for formats in which we write it ourselves. */
export function originOf({ generation, clock }: GenerationState, { upstreamModel }: Route): AnswerOrigin {
  const createdAtSeconds = Math.floor(clock.nowMs() / 1000);
  return { requestId: generation.requestId, createdAtSeconds, upstreamModel };
}

/** What was lost on the way to this provider: by the translation, or since its row says that it is not told. */
export function fidelityOf({ generation: { request }, model, routeGroups }: GenerationState, route: Route): string {
  const { fidelity } = groupOf(routeGroups, route);
  return withDropped(fidelity, untold(request, route, model));
}

/** How many requests its key may make. */
export const limitHeader = ({ rpmLimit }: Pick<Key, "rpmLimit">): AnswerHead["headers"] =>
  rpmLimit === null ? {} : { "x-ratelimit-limit-requests": String(rpmLimit) };

/**
 * Tells the caller what was lost on the way to the provider that answers, and its limits: of requests, and of this answer when it
 * may not grow to what the model gives.
 */
export function announcedHead(head: AnswerHead, state: GenerationState, route: Route): AnswerHead {
  const { held, generation } = state;
  const headers: AnswerHead["headers"] = {
    ...head.headers,
    ...limitHeader(generation.caller.key),
    "x-tollgate-fidelity": fidelityOf(state, route),
  };
  if (held.clamped) headers["x-tollgate-max-tokens"] = String(held.toldMaxTokens);
  return { ...head, headers };
}

/**
 * What the ledger charged for this very response, where that is known before its head leaves. Credits and tokens have a name each, so
 * that nobody adds them up.
 */
export const chargeHeader = (mode: KeyMode, charged: bigint): AnswerHead["headers"] =>
  mode === "credit" ? { "x-tollgate-cost": formatCredits(charged) } : { "x-tollgate-charged-tokens": String(charged) };
