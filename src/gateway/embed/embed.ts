import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { EmbeddingModel } from "../../catalogue/model.ts";
import type { EmbeddingRoute, Route } from "../../core/catalogue/route.ts";
import { allowedRegions, routesIn } from "../../core/catalogue/region.ts";
import type { Clock } from "../../core/clock.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { memberPolicyOf } from "../../core/request/member-policy.ts";
import type { Pace } from "../../core/request/pace.ts";
import type { StoredAnswer } from "../../ledger/ledger.ts";
import { droppedIn } from "../../translate/fidelity/group-routes.ts";
import type { Dispatch, Dispatched } from "../../upstream/dispatch.ts";
import { requirePayer } from "../chain-for.ts";
import { countRefusal, type CountRequest } from "../count-request.ts";
import { isOfCaller, isProviderFailure, wasSent } from "../generate/answer-fault.ts";
import { callHeaders } from "../generate/call-headers.ts";
import { routesFor } from "../generate/check/untold-members.ts";
import { watch } from "../generate/watch-sink.ts";
import { endingOf, failGeneration } from "../generate/end-generation.ts";
import { noteAsked, noteAttempt } from "../generate/generation.ts";
import { sendAgain } from "../generate/idempotent/send-again.ts";
import type { LostWork } from "../generate/lost-work.ts";
import type { Running } from "../generate/running.ts";
import type { Paperwork } from "../paperwork.ts";
import type { AdmitEmbedding } from "./admit-embedding.ts";
import { keepToWindow } from "./check-window.ts";
import { type DeliverEmbeddings, fidelityOf } from "./deliver-embeddings.ts";
import type { Embedded, Embedding, EmbeddingState } from "./embedding.ts";

/** The use case of embeddings. */
export type Embed = (embedding: Embedding) => Promise<Embedded>;

type Parts = {
  catalogue: Pick<Catalogue, "resolveEmbedding">;
  countRequest: CountRequest;
  admit: AdmitEmbedding;
  paperwork: Pick<Paperwork, "writeEmbeddings">;
  running: Running;
  dispatch: Dispatch;
  deliver: DeliverEmbeddings;
  clock: Clock;
  paceOf: (route: Route) => Pace;
  lostWork: LostWork;
  /** How long a request may take, from the moment it came in to the last byte of its answer. */
  deadlineMs: number;
  /** The largest answer that is kept for a retry. */
  storedAnswerBytes: number;
};

/** The life of a request for embeddings, in order: the same as that of a generation that is not streamed, without an answer to meter. */
export const createEmbed =
  (parts: Parts): Embed =>
  async (embedding) => {
    const { id, caller, request, onLedger, onModel } = embedding;
    const { catalogue, countRequest, running, clock, paceOf } = parts;
    let model: EmbeddingModel;
    let routes: readonly EmbeddingRoute[];
    try {
      model = catalogue.resolveEmbedding(request.model, caller.key);
      onModel(model);
      requirePayer(caller.key, model.id);
      routes = keepToWindow(request, model, routesFor({ ...request, cacheMarks: [] }, model, embedding.fidelity));
    } catch (refusal) {
      return countRefusal(refusal, () => countRequest(caller, id));
    }
    let regions = allowedRegions(caller.key);
    const resolveFor: Parameters<AdmitEmbedding>[0]["resolveFor"] = (key) => {
      regions = allowedRegions(key);
      return catalogue.resolveEmbedding(request.model, key);
    };
    const admitted = await parts.admit({ embedding, model, resolveFor });
    if (admitted.kind === "replay") return replay(embedding, admitted.answer);

    const { hold } = admitted;
    // The scope of the hold: whatever happens in it, money that was not settled goes back. [L2]
    try {
      const state: EmbeddingState = {
        generation: embedding,
        model,
        // Routes were chosen for the key as it was checked; what it was admitted as may allow less.
        regions,
        held: admitted,
        sink: watch(embedding, parts.storedAnswerBytes),
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
        return await serve(parts, state, routesIn(state.regions, routes));
      } finally {
        running.ended(state);
        noteLost(parts.lostWork, state);
      }
    } finally {
      if (!hold.isSettled()) await hold.release();
      embedding.onCharged(hold.charged, hold.chargedIn);
      if (hold.settling !== null) onLedger({ name: "settle", ...hold.settling });
    }
  };

async function serve(parts: Parts, state: EmbeddingState, routes: readonly EmbeddingRoute[]): Promise<Embedded> {
  let dispatched: Dispatched | null;
  try {
    dispatched = await ask(parts, state, routes);
  } catch (error) {
    return failGeneration(state, error, { overdue: wasSent(error) });
  }
  if (dispatched === null) return leave(state);
  const answeredAtMs = state.clock.elapsedMs();
  const { outcome, usage, bytesOut, relayedAtMs } = await reported(parts.deliver, state, dispatched);
  const dropped = droppedIn(fidelityOf(state, dispatched.route));
  return { outcome, usage, bytesOut, relayMs: relayedAtMs - answeredAtMs, dropped };
}

/** Asks route after route, until one answers; null when the caller has left meanwhile. */
function ask(parts: Parts, state: EmbeddingState, routes: readonly EmbeddingRoute[]): Promise<Dispatched | null> {
  const { dispatch, paperwork, deadlineMs, lostWork } = parts;
  const { generation, held, sink } = state;
  const { request, startedAtMs, onCall } = generation;
  const { payer } = generation.caller.key;
  return dispatch({
    routes,
    answerMode: "whole",
    bodyFor: (route) => {
      noteAsked(state, route);
      held.hold.asks(route);
      return paperwork.writeEmbeddings(request, {
        upstreamModel: route.upstreamModel,
        members: memberPolicyOf(route),
      });
    },
    headersFor: callHeaders({ request: { dialect: request.dialect, forwardedHeaders: {} }, onCall }),
    deadlineAtMs: startedAtMs + deadlineMs,
    payer,
    sink,
    restsMs: (route) => lostWork.restsMs({ payer, route, answerMode: "whole" }),
    onAttempt: (attempt) => noteAttempt(state, attempt),
    onUnsent: () => {
      state.asked = null;
      held.hold.asks(null);
    },
  });
}

function noteLost(lostWork: LostWork, { generation, held, asked }: EmbeddingState): void {
  if (held.hold.lost === null || asked === null) return;
  lostWork.add({ payer: generation.caller.key.payer, route: asked.route, answerMode: "whole" }, held.hold.lost);
}

/** The caller left, or was cut, before a provider answered. */
async function leave(state: EmbeddingState): Promise<Embedded> {
  const { held, sink, asked } = state;
  sink.complete();
  const cut = sink.cutBy();
  // What no provider was sent, or what we or an operator ended, is not the key's doing: the hold goes back by its scope.
  const charged = asked !== null && (cut === null || isOfCaller(cut));
  const usage = charged ? await held.hold.settle(endingOf(state, { outcome: "client_gone" })) : NO_USAGE;
  if (cut !== null) throw cut;
  return { outcome: "client_gone", usage, relayMs: 0, bytesOut: 0, dropped: null };
}

/** The health of a route learns how its answer went. */
async function reported(deliver: DeliverEmbeddings, state: EmbeddingState, dispatched: Dispatched) {
  const { ended } = dispatched;
  const { payer } = state.generation.caller.key;
  try {
    const delivered = await deliver(state, dispatched);
    ended({ outcome: delivered.outcome, outputTokens: 0, payer, pace: null });
    return delivered;
  } catch (error) {
    ended({ outcome: isProviderFailure(error) ? "upstream_failed" : null, outputTokens: 0, payer });
    throw error;
  }
}

function replay(embedding: Embedding, answer: StoredAnswer): Embedded {
  const bytesOut = sendAgain(embedding, answer);
  return { outcome: "completed", usage: NO_USAGE, relayMs: 0, bytesOut, dropped: null, replay: true };
}
