import { canReason } from "../../catalogue/can-reason.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Model } from "../../catalogue/model.ts";
import type { Clock } from "../../core/clock.ts";
import { invariant } from "../../core/invariant.ts";
import { memberPolicyOf } from "../../core/member-policy.ts";
import { NO_USAGE } from "../../core/usage.ts";
import type { Pace } from "../../core/pace.ts";
import type { StoredAnswer } from "../../ledger/ledger.ts";
import { droppedIn } from "../../translate/fidelity/group-routes.ts";
import type { Dispatch, Dispatched } from "../../upstream/dispatch.ts";
import type { Route } from "../../core/route.ts";
import type { Admit } from "./admit.ts";
import { checkContextWindow } from "./check-context-window.ts";
import { checkOutputLimit } from "./check-output-limit.ts";
import { checkTools } from "./check-tools.ts";
import { type CountRequest, countingRefusals } from "../count-request.ts";
import {
  type Deliver,
  type Delivered,
  endingOf,
  failJourney,
  fidelityAlong,
  type Generation,
  isOurs,
  isProviders,
  type Journey,
} from "./generation.ts";
import type { Paperwork } from "../paperwork.ts";
import type { Running } from "./running.ts";
import { routesFor } from "./untold-members.ts";
import { WatchedSink } from "./watched-sink.ts";

export type Generated = Omit<Delivered, "relayedAtMs" | "pace"> & {
  modelId: string;
  relayMs: number;
  /** What the provider was not told, as the caller reads it; null when it was told all. */
  dropped: string | null;
};

export type Generate = (generation: Generation) => Promise<Generated>;

type Parts = {
  catalogue: Catalogue;
  countRequest: CountRequest;
  admit: Admit;
  paperwork: Pick<Paperwork, "groupRoutes" | "countText" | "estimateInput" | "writeRequest">;
  running: Running;
  dispatch: Dispatch;
  deliverStream: Deliver;
  deliverPlain: Deliver;
  clock: Clock;
  /** How fast a route's model speaks. */
  paceOf: (route: Route) => Pace;
  /** How long a request may take, from the moment it came in to the last byte of its answer. */
  deadlineMs: number;
  /** The largest answer that is kept for a retry. */
  storedAnswerBytes: number;
};

/** The life of a generation, in order. Each step lives in the folder of its name. */
export const createGenerate = (parts: Parts): Generate => {
  const { catalogue, countRequest, admit, paperwork, running, dispatch, deliverStream, deliverPlain, clock, paceOf } =
    parts;

  return async (generation) => {
    const { id, caller, request, idempotency } = generation;
    const { model, routeGroups, input } = await countingRefusals(
      () => countRequest(caller, id),
      async () => {
        const found = catalogue.resolve(request.model, caller.key);
        const wanted = generation.fidelity ?? "declared";
        const offer = { routes: routesFor(request, found.routes, wanted), reasoning: canReason(found) };
        const groups = await paperwork.groupRoutes(request, offer, wanted);
        checkTools(request, found);
        checkOutputLimit(request, found);
        const estimated = await paperwork.estimateInput(request);
        await checkContextWindow({ input: estimated, model: found, countText: () => paperwork.countText(request) });
        return { model: found, routeGroups: groups, input: estimated };
      },
    );

    const admitted = await admit({
      id,
      caller,
      model,
      request,
      input,
      claim: idempotency?.claim ?? null,
      requireEntitled: (key) => void catalogue.resolve(request.model, key),
    });
    if (admitted.kind === "replay") return replay(generation, model, admitted.answer);

    await using _ = admitted.hold;
    const sink = watch(generation, parts.storedAnswerBytes);
    running.began(id, sink);
    try {
      return await serve({
        generation,
        model,
        routeGroups,
        held: admitted,
        sink,
        clock,
        provider: "",
        firstByteMs: null,
        asked: null,
        paceOf,
      });
    } finally {
      running.ended(id);
    }
  };

  /** From the first provider that is asked to the last byte for the caller. */
  async function serve(journey: Journey): Promise<Generated> {
    const { generation, routeGroups, model, held, sink } = journey;
    const { request, startedAtMs, onAttempt } = generation;
    const dispatched = await dispatch({
      routes: routeGroups.best.routes,
      otherRoutes: () => routeGroups.others().map(({ routes }) => routes),
      answerMode: request.stream ? "streamed" : "whole",
      bodyFor: (route, quirks) => {
        journey.asked = { route, atMs: clock.elapsedMs() };
        return paperwork.writeRequest(request, route, {
          upstreamModel: route.upstreamModel,
          maxOutputTokens: held.toldMaxTokens,
          reasoning: canReason(model),
          quirks,
          members: memberPolicyOf(route),
        });
      },
      headersFor: ({ dialect }) => (dialect === request.dialect ? request.forwardedHeaders : {}),
      deadlineAtMs: startedAtMs + parts.deadlineMs,
      sink,
      onAttempt: (attempt) => {
        journey.provider = attempt.route.provider;
        onAttempt(attempt);
      },
    }).catch((error: unknown) => failJourney(journey, error));

    if (dispatched === null) {
      const cut = sink.cutBy();
      // What no provider was asked, or what we gave up ourselves, is not the key's doing: the hold goes back by its scope.
      const left = journey.asked !== null && (cut === null || !isOurs(cut));
      const usage = left ? await held.hold.settle(endingOf(journey, { outcome: "client_gone" })) : NO_USAGE;
      if (cut !== null) throw cut;
      return { outcome: "client_gone", code: null, modelId: model.id, usage, relayMs: 0, bytesOut: 0, dropped: null };
    }

    const answeredAtMs = clock.elapsedMs();
    const deliver = request.stream ? deliverStream : deliverPlain;
    const { outcome, code, usage, bytesOut, relayedAtMs } = await heardBy(journey, dispatched, deliver);
    const dropped = droppedIn(fidelityAlong(journey, dispatched.route));
    return { outcome, code, modelId: model.id, usage, relayMs: relayedAtMs - answeredAtMs, bytesOut, dropped };
  }
};

/** The caller's end, as far as this request watches it. */
function watch({ caller, request, idempotency, sink }: Generation, storedAnswerBytes: number): WatchedSink {
  return new WatchedSink(sink, {
    keyId: caller.key.id,
    keyExpiresAtMs: caller.key.expiresAtMs,
    streamed: request.stream ? "yes" : "no",
    detached: idempotency !== null && !request.stream ? "yes" : "no",
    rememberBytes: idempotency === null ? 0 : storedAnswerBytes,
  });
}

/** The route hears how its answer went: a provider that keeps dying within its answers must not be asked for ever. */
async function heardBy(journey: Journey, dispatched: Dispatched, deliver: Deliver): Promise<Delivered> {
  const { ended } = dispatched;
  const { id: keyId } = journey.generation.caller.key;
  try {
    const delivered = await deliver(journey, dispatched);
    const { outcome, usage, pace } = delivered;
    ended({ outcome, outputTokens: usage.outputTokens, keyId, pace });
    return delivered;
  } catch (error) {
    // Whatever else is thrown here is the ledger's affair or the caller's.
    ended({ outcome: isProviders(error) ? "upstream_failed" : null, outputTokens: 0, keyId });
    throw error;
  }
}

/** The answer to the first request, again, byte for byte; nothing is charged for it. [interface decision 25] */
function replay({ idempotency, sink, onFirstByte }: Generation, model: Model, answer: StoredAnswer): Generated {
  invariant(idempotency, "a replay belongs to a request with a claim");
  const { head, body } = idempotency.open(answer);
  onFirstByte();
  sink.begin({ ...head, headers: { ...head.headers, "idempotent-replayed": "true" } });
  sink.end(body);
  const { length: bytesOut } = body;
  return { outcome: "completed", code: null, modelId: model.id, usage: NO_USAGE, relayMs: 0, bytesOut, dropped: null };
}
