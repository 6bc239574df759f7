import { Fault } from "../../../core/fault.ts";
import type { Route } from "../../../core/catalogue/route.ts";
import { generationRoute } from "../../../core/catalogue/route.ts";
import { NO_USAGE } from "../../../core/money/usage.ts";
import type { Relay, Relayed } from "../../../relay/relay.ts";
import { pickTranslator } from "../../../translate/pick-translator.ts";
import { requestFault } from "../../../upstream/refusal/provider-error.ts";
import { answerTookTooLong, isCancelled, isOurs, pastLimit, providerBrokeOff } from "../answer-fault.ts";
import { announcedHead, originOf } from "./answer-head.ts";
import { endingOf, keptAnswer } from "../end-generation.ts";
import { noteFirstByte, noteStream, type Deliver, type GenerationState } from "../generation.ts";
import { timeAway } from "./time-away.ts";
import { watchPace } from "./watch-pace.ts";

const STREAM_HEAD = {
  status: 200,
  headers: {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  },
};

/** Content is forwarded as it comes; the terminal event leaves only after the settlement. [interface decision 21] */
export const createDeliverStream =
  ({ relay }: { relay: Relay }): Deliver =>
  async (state, { route, answer: { body } }) => {
    const { generation, held, sink, clock } = state;
    const { requestId, request, startedAtMs } = generation;
    const stage = pickTranslator(request.dialect, generationRoute(route)).stage(request, originOf(state, route));
    const head = announcedHead(STREAM_HEAD, state, route);
    const watch = watchPace(state, route);
    const away = timeAway(stage, clock.elapsedMs());
    let waitedMs = 0;
    noteStream(state, () => held.hold.soFar(stage, watch.hiddenTokens(clock.elapsedMs(), waitedMs)));
    sink.expectSignsOfLife(stage.keepAlive);
    const relayed = await relay({
      body,
      stage,
      sink,
      head,
      startedAtMs,
      requestBytes: request.bytes.length,
      onFirstByte: () => noteFirstByte(state),
      onProgress: (nowMs, pausedMs) => {
        waitedMs = pausedMs + away(nowMs);
        watch.note(stage.delivered, nowMs, waitedMs);
        held.hold.progress(stage, watch.hiddenTokens(nowMs, waitedMs));
      },
    });
    sink.complete();
    const relayedAtMs = clock.elapsedMs();
    const { outcome, begun, bytesOut, terminal, pausedMs } = relayed;
    const refused = refusalIn(relayed, route);
    // As if it had been refused by its status: nothing is written down, and the hold goes back by its scope.
    if (refused !== null && !begun) throw refused;
    const cutShort = outcome !== "completed";
    const notThinkingMs = pausedMs + away(relayedAtMs);
    const hiddenTokens = cutShort ? watch.hiddenTokens(relayedAtMs, notThinkingMs) : 0;
    const doubtedTokens = cutShort ? watch.doubtedTokens(relayedAtMs, notThinkingMs) : 0;
    let { usage } = relayed;
    try {
      const cut = sink.cutBy();
      if (cut !== null && (isOurs(cut) || (isCancelled(cut) && !begun))) throw cut;
      usage = await held.hold.settle({
        ...endingOf(state, { outcome, begun, answered: true, usage, hiddenTokens, doubtedTokens }),
        stage,
        answer: terminal && ((charged) => keptAnswer(state, head, stage.terminal(charged) ?? terminal)),
      });
      const fault = refused ?? faultOf(relayed, state);
      if (fault !== null) throw fault;
      if (outcome === "completed") {
        if (!begun) sink.begin(head);
        sink.end(stage.terminal(usage) ?? undefined);
      }
      return { outcome, code: null, usage, bytesOut, relayedAtMs, pace: watch.sample(stage.delivered, relayed) };
    } catch (error) {
      // With 200 already sent, a failure can only be an event of the stream.
      if (!begun || !(error instanceof Fault)) throw error;
      sink.end(stage.failure(error, requestId));
      const { code, message: refusal } = error;
      // What was settled before it failed, as of a stream that an operator cancelled, is what the log and the record say.
      return { outcome, code, refusal, usage: usage ?? NO_USAGE, bytesOut, relayedAtMs, pace: null };
    }
  };

/** What the provider said of the request in place of an answer, or amid it. */
function refusalIn({ outcome, failedBy }: Relayed, { provider, upstreamModel: model }: Route): Fault | null {
  return outcome === "upstream_failed" && failedBy !== null ? requestFault(failedBy, { provider, model }) : null;
}

function faultOf({ outcome, limit }: Relayed, { sink }: GenerationState): Fault | null {
  switch (outcome) {
    case "completed":
      return null;
    case "client_gone":
      return sink.cutBy();
    case "upstream_failed":
      return providerBrokeOff();
    case "timed_out":
      return answerTookTooLong();
    case "limited":
      return limit && pastLimit(limit);
    default:
      return outcome satisfies never;
  }
}
