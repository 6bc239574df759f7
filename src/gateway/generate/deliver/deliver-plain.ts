import { AnswerLimitError, boundBeside } from "../../../core/request/answer-limit.ts";
import { generationRoute } from "../../../core/catalogue/route.ts";
import type { Soon } from "../../../core/soon.ts";
import type { Usage } from "../../../core/money/usage.ts";
import { collect } from "../../../relay/collect.ts";
import { answerTookTooLong, isOfCaller, isProviderFailure, pastLimit, providerBrokeOff } from "../answer-fault.ts";
import { announcedHead, chargeHeader, originOf } from "./answer-head.ts";
import { endingOf, failGeneration, keptAnswer } from "../end-generation.ts";
import type { PlainAnswer } from "../../../translate/answer-stage.ts";
import { noteFirstByte, type Deliver } from "../generation.ts";
import { editMembers } from "../../../wire/json/edit-members.ts";
import { findMembers } from "../../../wire/json/members.ts";
import { usageToShow } from "../../../wire/show-usage.ts";
import { requestFault } from "../../../upstream/refusal/provider-error.ts";
import type { Paperwork } from "../../paperwork.ts";

const PLAIN_HEAD = { status: 200, headers: { "content-type": "application/json" } };

type Limits = { deadlineMs: number; maxAnswerBytes: number };

/** A plain answer is gathered, paid for, and sent. */
export const createDeliverPlain =
  ({ limits, paperwork }: { limits: Limits; paperwork: Pick<Paperwork, "readPlain"> }): Deliver =>
  async (state, { route, answer: { body } }) => {
    const { generation, held, sink, clock } = state;
    const { request, startedAtMs } = generation;
    const timeoutMs = limits.deadlineMs - (clock.elapsedMs() - startedAtMs);
    const maxBytes = boundBeside(limits.maxAnswerBytes, request.bytes.length);
    const { outcome, bytes: whole } = await collect({ body, sink, maxBytes, timeoutMs });
    sink.complete();
    const relayedAtMs = clock.elapsedMs();
    if (outcome !== "completed") {
      const cut = sink.cutBy();
      // Cut by us or by an operator, it gets a status, and a status other than success costs nothing: the hold goes back whole.
      if (cut !== null && !isOfCaller(cut)) throw cut;
      const usage = await held.hold.settle(endingOf(state, { outcome, answered: true }));
      if (cut !== null) throw cut;
      if (outcome === "client_gone") return { outcome, code: null, usage, bytesOut: 0, relayedAtMs, pace: null };
      if (outcome === "limited") throw pastLimit(answerTooLarge(maxBytes));
      throw outcome === "timed_out" ? answerTookTooLong() : providerBrokeOff();
    }

    let plain: Soon<PlainAnswer>;
    try {
      plain = paperwork.readPlain(whole, { request, route: generationRoute(route), origin: originOf(state, route) });
      if (plain instanceof Promise) plain = await plain;
    } catch (error) {
      const { provider, upstreamModel: model } = route;
      const refused = isProviderFailure(error) ? requestFault(whole, { provider, model }) : null;
      return failGeneration(state, refused ?? error, { answered: true });
    }
    const { bytes: given, usage: said, shown } = plain;
    noteFirstByte(state);
    const head = announcedHead(PLAIN_HEAD, state, route);
    const usage = await held.hold.settle({
      ...endingOf(state, { outcome, answered: true, usage: said }),
      plain: given,
      answer: (charged) => keptAnswer(state, head, showing(charged)),
    });
    const bytes = showing(usage);
    const charge = chargeHeader(generation.caller.key.mode, held.hold.charged);
    sink.begin({ ...head, headers: { ...head.headers, ...charge, "content-length": String(bytes.length) } });
    sink.end(bytes);
    return { outcome, code: null, usage, bytesOut: bytes.length, relayedAtMs, pace: null };

    /** What the caller is shown is what is charged. */
    function showing(charged: Usage): Buffer {
      const right = usageToShow(request.dialect, shown, charged);
      return right === null ? given : editMembers(given, findMembers(given), { usage: JSON.stringify(right) });
    }
  };

const answerTooLarge = (bytes: number): AnswerLimitError =>
  new AnswerLimitError(
    `The response is larger than ${bytes.toLocaleString("en-US")} bytes, the limit without streaming.`,
  );
