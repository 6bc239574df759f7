import { canReason } from "../../catalogue/can-reason.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { GenerationModel } from "../../catalogue/model.ts";
import type { Key } from "../../keys/key.ts";
import type { Clock } from "../../core/clock.ts";
import { allowedRegions, routesIn } from "../../core/catalogue/region.ts";
import { memberPolicyOf } from "../../core/request/member-policy.ts";
import { mostCallsOf } from "../../core/request/provider-tools.ts";
import { soldCache } from "../../core/money/price.ts";
import { vocabularyOf } from "../../core/request/vocabulary.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { Pace } from "../../core/request/pace.ts";
import { after, type Soon } from "../../core/soon.ts";
import type { StoredAnswer } from "../../ledger/ledger.ts";
import type { InputEstimate } from "../../core/request/input-estimate.ts";
import { droppedIn, type RouteGroups } from "../../translate/fidelity/group-routes.ts";
import type { AnswerMode } from "../../upstream/call-convention.ts";
import type { Dispatch, Dispatched } from "../../upstream/dispatch.ts";
import { type GenerationRoute, generationRoute, type Route } from "../../core/catalogue/route.ts";
import type { Admit } from "./admit.ts";
import type { AskForThoughts } from "./check/ask-for-thoughts.ts";
import { checkContextWindow, mayExceedWindow } from "./check/check-context-window.ts";
import { checkOutputLimit } from "./check/check-output-limit.ts";
import { checkProviderTools } from "./check/check-provider-tools.ts";
import { checkTier, tellsTier, tierRoutes } from "./check/check-tier.ts";
import { checkTools } from "./check/check-tools.ts";
import { requirePayer } from "../chain-for.ts";
import { countRefusal, type CountRequest } from "../count-request.ts";
import { isOfCaller, isProviderFailure, wasSent } from "./answer-fault.ts";
import { sendAgain } from "./idempotent/send-again.ts";
import { fidelityOf } from "./deliver/answer-head.ts";
import { endingOf, failGeneration } from "./end-generation.ts";
import {
  type Deliver,
  type Delivered,
  type Generation,
  type GenerationState,
  noteAsked,
  noteAttempt,
} from "./generation.ts";
import type { LostWork } from "./lost-work.ts";
import type { Paperwork } from "../paperwork.ts";
import type { Running } from "./running.ts";
import { keepToWindow } from "./check/strict-window.ts";
import { routesFor } from "./check/untold-members.ts";
import { watch } from "./watch-sink.ts";
import { callHeaders } from "./call-headers.ts";

export type Generated = Omit<Delivered, "relayedAtMs" | "pace"> & {
  relayMs: number;
  /** What the provider was not told, as the caller reads it; null when it was told all. */
  dropped: string | null;
  /** Present when it was the answer to an earlier request. */
  replay?: true;
};

export type Generate = (generation: Generation) => Promise<Generated>;

type Parts = {
  catalogue: Catalogue;
  countRequest: CountRequest;
  admit: Admit;
  paperwork: Pick<Paperwork, "groupRoutes" | "countText" | "savedByCounting" | "estimateInput" | "writeRequest">;
  running: Running;
  dispatch: Dispatch;
  askForThoughts: AskForThoughts;
  deliverStream: Deliver;
  deliverPlain: Deliver;
  clock: Clock;
  /** How fast a route's model speaks. */
  paceOf: (route: Route) => Pace;
  lostWork: LostWork;
  /** How long a request may take, from the moment it came in to the last byte of its answer. */
  deadlineMs: number;
  /** The largest answer that is kept for a retry. */
  storedAnswerBytes: number;
};

/** The life of a generation, in order. Each step lives in the folder of its name. */
export const createGenerate =
  (parts: Parts): Generate =>
  async (generation) => {
    const { id, caller, request, idempotency, onLedger } = generation;
    const { catalogue, countRequest, running, clock, paceOf } = parts;
    let checked: Soon<Checked>;
    try {
      checked = check(parts, generation);
      if (checked instanceof Promise) checked = await checked;
    } catch (refusal) {
      return countRefusal(refusal, () => countRequest(caller, id));
    }
    const { model, routeGroups, input } = checked;

    let regions = allowedRegions(caller.key);
    const admitted = await parts.admit({
      id,
      caller,
      model,
      request,
      input,
      claim: idempotency?.claim ?? null,
      resolveFor: (key) => {
        regions = allowedRegions(key);
        return soldTo(catalogue, request, key);
      },
      onLedger,
    });
    if (admitted.kind === "replay") return replay(generation, admitted.answer);

    const { hold } = admitted;
    // The scope of the hold: whatever happens in it, money that was not settled goes back. [L2]
    try {
      const state: GenerationState = {
        generation,
        model,
        routeGroups,
        regions,
        held: admitted,
        sink: watch(generation, parts.storedAnswerBytes),
        clock,
        paceOf,
        place: 0,
        provider: "",
        firstByteMs: null,
        asked: null,
        soFar: null,
      };
      running.began(state);
      try {
        return await serve(parts, state);
      } finally {
        running.ended(state);
        noteLost(parts.lostWork, state);
      }
    } finally {
      admitted.takeBack?.();
      if (!hold.isSettled()) await hold.release();
      generation.onCharged(hold.charged, hold.chargedIn);
      if (hold.settling !== null) onLedger({ name: "settle", ...hold.settling });
    }
  };

type Checked = { model: GenerationModel; routeGroups: RouteGroups<GenerationRoute>; input: InputEstimate };

/** Everything that can be refused before money is set aside. Only a large body is waited for. */
function check({ catalogue, paperwork }: Parts, generation: Generation): Soon<Checked> {
  const { request, caller, fidelity = "declared", onModel } = generation;
  const model = catalogue.resolve(request.model, caller.key);
  onModel(model);
  requirePayer(caller.key, model.id);
  checkTier(request, model, caller.key);
  checkProviderTools(request, model, caller.key);
  const offer = { routes: tierRoutes(request, routesFor(request, model, fidelity)), reasoning: canReason(model) };
  return after(paperwork.groupRoutes(request, offer, fidelity), (routeGroups) => {
    checkTools(request, model);
    checkOutputLimit(request, model);
    return after(paperwork.estimateInput(request), (input) => {
      const kept = keepToWindow(
        { model, routeGroups, input },
        {
          bodyBytes: request.bytes.length,
          saved: () => paperwork.savedByCounting(request, vocabularyOf(model)),
        },
      );
      return after(kept, ({ routeGroups: open, fits }) => {
        const checked = { model, routeGroups: open, input };
        if (fits || !mayExceedWindow(checked)) return checked;
        return checkContextWindow(checked, () => paperwork.countText(request)).then(() => checked);
      });
    });
  });
}

/** The model for a key that was read again, at the price of this moment: it must still sell what is asked for, and the key still be allowed it. */
function soldTo(catalogue: Catalogue, request: Generation["request"], key: Key): GenerationModel {
  const model = catalogue.resolve(request.model, key);
  checkTier(request, model, key);
  checkProviderTools(request, model, key);
  return model;
}

/** From the first provider that is asked to the last byte for the caller. */
async function serve(parts: Parts, state: GenerationState): Promise<Generated> {
  const { generation } = state;
  let dispatched: Dispatched | null;
  try {
    dispatched = await ask(parts, state);
  } catch (error) {
    return failGeneration(state, error, { overdue: wasSent(error) });
  }
  if (dispatched === null) return leave(state);

  const answeredAtMs = state.clock.elapsedMs();
  const deliver = generation.request.stream ? parts.deliverStream : parts.deliverPlain;
  const { outcome, code, refusal, usage, bytesOut, relayedAtMs } = await reported(state, dispatched, deliver);
  const dropped = droppedIn(fidelityOf(state, dispatched.route));
  const relayMs = relayedAtMs - answeredAtMs;
  const generated: Generated = { outcome, code, usage, relayMs, bytesOut, dropped };
  if (refusal !== undefined) generated.refusal = refusal;
  return generated;
}

/** Asks route after route, until one answers; null when the caller has left meanwhile. */
async function ask(parts: Parts, state: GenerationState): Promise<Dispatched | null> {
  const { dispatch, paperwork, deadlineMs, askForThoughts, lostWork } = parts;
  const { generation, routeGroups, regions, model, held, sink } = state;
  const { request, startedAtMs } = generation;
  const { payer } = generation.caller.key;
  const answerMode = answerModeOf(request);
  const thoughts = askForThoughts(request, model);
  const dispatched = await dispatch({
    // Routes were chosen for the key as it was checked; what it was admitted as may allow less.
    routes: routesIn(regions, routeGroups.best.routes),
    otherRoutes: () => routeGroups.others().map(({ routes }) => routesIn(regions, routes)),
    answerMode,
    bodyFor: (route, quirks) => {
      noteAsked(state, route);
      held.hold.asks(route, { isToldTier: tellsTier(route, quirks) });
      return paperwork.writeRequest(request, generationRoute(route), {
        upstreamModel: route.upstreamModel,
        maxOutputTokens: held.toldMaxTokens,
        reasoning: canReason(model),
        thoughts: thoughts.of(route),
        quirks,
        members: memberPolicyOf(route),
        cache: soldCache(model.price),
        mostCalls: mostCallsOf(model),
      });
    },
    headersFor: callHeaders(generation),
    deadlineAtMs: startedAtMs + deadlineMs,
    payer,
    sink,
    restsMs: (route) => lostWork.restsMs({ payer, route, answerMode }),
    onAttempt: (attempt) => noteAttempt(state, attempt),
    onUnsent: () => {
      state.asked = null;
      held.hold.asks(null);
    },
    refused: thoughts.refused,
  });
  if (dispatched !== null) thoughts.answered(dispatched.route);
  return dispatched;
}

const answerModeOf = ({ stream }: { stream: boolean }): AnswerMode => (stream ? "streamed" : "whole");

function noteLost(lostWork: LostWork, { generation, held, asked }: GenerationState): void {
  const { caller, request } = generation;
  if (held.hold.lost === null || asked === null) return;
  const loser = { payer: caller.key.payer, route: asked.route, answerMode: answerModeOf(request) };
  lostWork.add(loser, held.hold.lost);
}

/** The caller left, or was cut, before a provider answered. */
async function leave(state: GenerationState): Promise<Generated> {
  const { held, sink, asked } = state;
  sink.complete();
  const cut = sink.cutBy();
  // What no provider was sent, or what we or an operator ended, is not the key's doing: the hold goes back by its scope.
  const charged = asked !== null && (cut === null || isOfCaller(cut));
  const usage = charged ? await held.hold.settle(endingOf(state, { outcome: "client_gone" })) : NO_USAGE;
  if (cut !== null) throw cut;
  return { outcome: "client_gone", code: null, usage, relayMs: 0, bytesOut: 0, dropped: null };
}

/** The health of a route learns how its answer went: a provider that keeps dying within its answers must not be asked for ever. */
async function reported(state: GenerationState, dispatched: Dispatched, deliver: Deliver): Promise<Delivered> {
  const { ended } = dispatched;
  const { payer } = state.generation.caller.key;
  try {
    const delivered = await deliver(state, dispatched);
    const { outcome, code, usage, pace } = delivered;
    // What a provider says of a request says nothing about the route, even amid an answer.
    const ofRequest = code === "invalid_request" || code === "context_length_exceeded";
    ended({ outcome: ofRequest ? null : outcome, outputTokens: usage.outputTokens, payer, pace });
    return delivered;
  } catch (error) {
    // Whatever else is thrown here is the ledger's affair or the caller's.
    ended({ outcome: isProviderFailure(error) ? "upstream_failed" : null, outputTokens: 0, payer });
    throw error;
  }
}

function replay(generation: Generation, answer: StoredAnswer): Generated {
  const bytesOut = sendAgain(generation, answer);
  return { outcome: "completed", code: null, usage: NO_USAGE, relayMs: 0, bytesOut, dropped: null, replay: true };
}
