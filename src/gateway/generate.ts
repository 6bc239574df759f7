import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import type { Sink } from "../core/sink.ts";
import type { Outcome, Usage } from "../core/usage.ts";
import type { Key } from "../keys/key.ts";
import { collect } from "../relay/collect.ts";
import type { Relay } from "../relay/relay.ts";
import { canTranslate, pickTranslator } from "../translate/pick-translator.ts";
import type { Attempt, Dispatch, Dispatched } from "../upstream/dispatch.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import type { Admit, Hold } from "./admit.ts";
import { checkOutputLimit } from "./check-output-limit.ts";

export type Generation = {
  /** Made before the first call that uses it. */
  id: string;
  /** The same id as the caller sees it. */
  requestId: string;
  key: Key;
  request: GenerationRequest;
  sink: Sink;
  startedAtMs: number;
  onAttempt: (attempt: Attempt) => void;
  onFirstByte: () => void;
};

export type Generated = { outcome: Outcome; modelId: string; usage: Usage | null; relayMs: number; bytesOut: number };

export type Generate = (generation: Generation) => Promise<Generated>;

type Parts = {
  catalogue: Catalogue;
  admit: Admit;
  dispatch: Dispatch;
  relay: Relay;
  clock: Clock;
  limits: { deadlineMs: number; maxAnswerBytes: number };
};

/** The life of a generation, in order. Each step lives in the folder of its name. */
export const createGenerate = (parts: Parts): Generate => {
  const { catalogue, admit, dispatch, relay, clock, limits } = parts;

  return async (generation) => {
    const { id, key, request, sink, onAttempt } = generation;
    const model = catalogue.resolve(request.model, key);
    checkOutputLimit(request, model);

    await using hold = await admit({
      requestId: id,
      keyId: key.id,
      modelId: model.id,
      maxOutputTokens: request.maxOutputTokens,
    });

    const dispatched = await dispatch({
      targets: model.routes.filter(({ dialect }) => canTranslate(request.dialect, dialect)),
      bodyFor: (target) =>
        pickTranslator(request.dialect, target).request(request, {
          upstreamModel: target.upstreamModel,
          maxOutputTokens: null,
        }),
      sink,
      onAttempt,
    });

    if (dispatched === null) {
      await hold.settle({ outcome: "client_gone", usage: null });
      return { outcome: "client_gone", modelId: model.id, usage: null, relayMs: 0, bytesOut: 0 };
    }

    const answeredAtMs = clock.elapsedMs();
    const { outcome, usage, bytesOut, relayedAtMs } = request.stream
      ? await stream(generation, dispatched, hold)
      : await answer(generation, dispatched, hold);
    return { outcome, modelId: model.id, usage, relayMs: relayedAtMs - answeredAtMs, bytesOut };
  };

  /** Content is forwarded as it comes; the terminal event leaves only after the settlement. [decision 21] */
  async function stream(
    generation: Generation,
    { target, answer: { body } }: Dispatched,
    hold: Hold,
  ): Promise<Answered> {
    const { requestId, request, sink, startedAtMs, onFirstByte } = generation;
    const stage = pickTranslator(request.dialect, target).stage(request);
    const relayed = await relay({ body, stage, sink, head: STREAM_HEAD, startedAtMs, onFirstByte });
    const relayedAtMs = clock.elapsedMs();

    await hold.settle(relayed);
    switch (relayed.outcome) {
      case "completed":
        if (!relayed.begun) sink.begin(STREAM_HEAD);
        sink.end(relayed.terminal ?? undefined);
        break;
      case "upstream_failed":
      case "timed_out": {
        const fault = relayed.outcome === "timed_out" ? tooLong() : brokeOff();
        if (!relayed.begun) throw fault;
        sink.end(stage.failure(fault, requestId));
        break;
      }
      case "client_gone":
        break;
      default:
        relayed.outcome satisfies never;
    }
    return { outcome: relayed.outcome, usage: relayed.usage, bytesOut: relayed.bytesOut, relayedAtMs };
  }

  /** A plain answer is gathered, paid for, and sent. */
  async function answer(
    generation: Generation,
    { target, answer: { body } }: Dispatched,
    hold: Hold,
  ): Promise<Answered> {
    const { request, sink, startedAtMs, onFirstByte } = generation;
    const timeoutMs = limits.deadlineMs - (clock.elapsedMs() - startedAtMs);
    const { outcome, bytes: whole } = await collect({ body, sink, maxBytes: limits.maxAnswerBytes, timeoutMs });
    const relayedAtMs = clock.elapsedMs();
    if (outcome !== "completed") {
      await hold.settle({ outcome, usage: null });
      if (outcome === "client_gone") return { outcome, usage: null, bytesOut: 0, relayedAtMs };
      throw outcome === "timed_out" ? tooLong() : brokeOff();
    }

    const { bytes, usage } = pickTranslator(request.dialect, target).plain(whole, request);
    await hold.settle({ outcome, usage });
    onFirstByte();
    sink.begin({
      status: 200,
      headers: { "content-type": "application/json", "content-length": String(bytes.length) },
    });
    sink.end(bytes);
    return { outcome, usage, bytesOut: bytes.length, relayedAtMs };
  }
};

/** `relayedAtMs` is when the provider had no more to say. */
type Answered = { outcome: Outcome; usage: Usage | null; bytesOut: number; relayedAtMs: number };

const STREAM_HEAD = {
  status: 200,
  headers: {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  },
};

const brokeOff = (cause?: unknown): Fault =>
  new Fault("upstream_error", "The provider broke off before the answer was complete. Trying again is safe.", {
    cause,
  });

const tooLong = (): Fault =>
  new Fault("upstream_timeout", "The answer took longer than a stream may last. Ask for less, or in parts.");
