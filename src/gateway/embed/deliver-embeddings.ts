import type { Route } from "../../core/catalogue/route.ts";
import { AnswerLimitError } from "../../core/request/answer-limit.ts";
import type { AnswerHead } from "../../core/request/sink.ts";
import type { Soon } from "../../core/soon.ts";
import { collect } from "../../relay/collect.ts";
import { type EmbeddingsAnswer, withUsage } from "../../translate/embeddings/read-embeddings.ts";
import { withDropped } from "../../translate/fidelity/group-routes.ts";
import type { Dispatched } from "../../upstream/dispatch.ts";
import { requestFault } from "../../upstream/refusal/provider-error.ts";
import {
  answerTookTooLong,
  isOfCaller,
  isProviderFailure,
  pastLimit,
  providerBrokeOff,
} from "../generate/answer-fault.ts";
import { untold } from "../generate/check/untold-members.ts";
import { chargeHeader, limitHeader } from "../generate/deliver/answer-head.ts";
import { endingOf, failGeneration, keptAnswer } from "../generate/end-generation.ts";
import { noteFirstByte } from "../generate/generation.ts";
import type { Paperwork } from "../paperwork.ts";
import type { Embedded, EmbeddingState } from "./embedding.ts";

type DeliveredEmbeddings = Pick<Embedded, "outcome" | "usage" | "bytesOut"> & {
  /** When the provider had no more to say. */
  relayedAtMs: number;
};

/** Brings an answer to the caller, and settles. */
export type DeliverEmbeddings = (state: EmbeddingState, dispatched: Dispatched) => Promise<DeliveredEmbeddings>;

type Parts = {
  paperwork: Pick<Paperwork, "readEmbeddingsAnswer">;
  deadlineMs: number;
};

/** The longest vectors in use have 8,192 numbers, of up to 30 bytes each. */
const BYTES_PER_INPUT = 256 * 1_024;
const BYTES_AROUND = 1_024 * 1_024;
const MOST_BYTES = 96 * 1_024 * 1_024;

/** How large an answer may be. */
const mostBytesOf = (inputs: number): number => Math.min(MOST_BYTES, BYTES_AROUND + inputs * BYTES_PER_INPUT);

/** An answer is gathered, checked, paid for, and sent. */
export const createDeliverEmbeddings =
  ({ paperwork, deadlineMs }: Parts): DeliverEmbeddings =>
  async (state, { route, answer: { body } }) => {
    const { generation, held, sink, clock } = state;
    const { request, startedAtMs, caller } = generation;
    const inputs = request.input.sizes.length;
    const maxBytes = mostBytesOf(inputs);
    const timeoutMs = deadlineMs - (clock.elapsedMs() - startedAtMs);
    const { outcome, bytes: whole } = await collect({ body, sink, maxBytes, timeoutMs });
    sink.complete();
    const relayedAtMs = clock.elapsedMs();
    if (outcome !== "completed") {
      const cut = sink.cutBy();
      // Cut by us or by an operator, it gets a status, and a status other than success costs nothing: the hold goes back whole.
      if (cut !== null && !isOfCaller(cut)) throw cut;
      const usage = await held.hold.settle(endingOf(state, { outcome, answered: true }));
      if (cut !== null) throw cut;
      if (outcome === "client_gone") return { outcome, usage, bytesOut: 0, relayedAtMs };
      if (outcome === "limited") throw pastLimit(answerTooLarge(maxBytes));
      throw outcome === "timed_out" ? answerTookTooLong() : providerBrokeOff();
    }

    let answer: Soon<EmbeddingsAnswer>;
    try {
      const asked = { inputs, encoding: request.encoding, model: state.model.id };
      answer = paperwork.readEmbeddingsAnswer(whole, asked, request.payer);
      if (answer instanceof Promise) answer = await answer;
    } catch (error) {
      const { provider, upstreamModel: model } = route;
      const refused = isProviderFailure(error) ? requestFault(whole, { provider, model }) : null;
      return failGeneration(state, refused ?? error, { answered: true });
    }
    const read = answer;
    noteFirstByte(state);
    const head = headOf(state, route);
    const usage = await held.hold.settle({
      ...endingOf(state, { outcome, answered: true, usage: read.usage }),
      answer: (charged) => keptAnswer(state, head, withUsage(read, charged)),
    });
    const bytes = withUsage(read, usage);
    const charge = chargeHeader(caller.key.mode, held.hold.charged);
    sink.begin({ ...head, headers: { ...head.headers, ...charge, "content-length": String(bytes.length) } });
    sink.end(bytes);
    return { outcome, usage, bytesOut: bytes.length, relayedAtMs };
  };

const headOf = (state: EmbeddingState, route: Route): AnswerHead => ({
  status: 200,
  headers: {
    "content-type": "application/json",
    "x-tollgate-fidelity": fidelityOf(state, route),
    ...limitHeader(state.generation.caller.key),
  },
});

const EXACT = "exact";

/** What the provider was not told. */
export const fidelityOf = ({ generation: { request }, model }: EmbeddingState, route: Route): string =>
  withDropped(EXACT, untold({ ...request, cacheMarks: [] }, route, model));

const answerTooLarge = (bytes: number): AnswerLimitError =>
  new AnswerLimitError(
    `The response is larger than ${bytes.toLocaleString("en-US")} bytes, the limit for so many inputs.`,
  );
