import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Clock } from "../core/clock.ts";
import type { ClientDialect } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import type { Sink } from "../core/sink.ts";
import type { Outcome, Usage } from "../core/usage.ts";
import type { Key } from "../keys/key.ts";
import { collect } from "../relay/collect.ts";
import type { Relay, Relayed } from "../relay/relay.ts";
import { canTranslate, pickTranslator } from "../translate/pick-translator.ts";
import type { Attempt, Dispatch, Dispatched } from "../upstream/dispatch.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import type { Admit, Hold } from "./admit.ts";
import { checkOutputLimit } from "./check-output-limit.ts";

export type Generation = {
  requestId: string;
  /** The id as the caller sees it. */
  publicRequestId: string;
  key: Key;
  request: GenerationRequest;
  sink: Sink;
  startedAtMs: number;
  onAttempt: (attempt: Attempt) => void;
  onFirstByte: () => void;
};

export type Generated = { outcome: Outcome; modelId: string; usage: Usage | null; bytesOut: number };

export type Generate = (generation: Generation) => Promise<Generated>;

/** What a format says in a stream: its sign of life, and how it tells of a failure after content has begun. */
export type StreamManners = { keepAlive: Buffer; failure: (fault: Fault, requestId: string) => Buffer };

type Parts = {
  catalogue: Catalogue;
  admit: Admit;
  dispatch: Dispatch;
  relay: Relay;
  manners: Record<ClientDialect, StreamManners>;
  clock: Clock;
  limits: { deadlineMs: number; maxAnswerBytes: number };
};

/** The life of a generation, in order. Each step lives in the folder of its name. */
export const createGenerate = (parts: Parts): Generate => {
  const { catalogue, admit, dispatch, relay, manners, clock, limits } = parts;

  return async (generation) => {
    const { requestId, key, request, sink, onAttempt } = generation;
    const model = catalogue.resolve(request.model, key);
    checkOutputLimit(request, model);

    await using hold = await admit({
      requestId,
      keyId: key.id,
      modelId: model.id,
      maxOutputTokens: request.maxOutputTokens,
    });

    const dispatched = await dispatch({
      targets: model.routes.filter(({ dialect }) => canTranslate(request.dialect, dialect)),
      bodyFor: (target) => pickTranslator(request.dialect, target).request(request, target.upstreamModel),
      isGone: sink.isGone,
      onGone: sink.onGone,
      onAttempt,
    });

    const { outcome, usage, bytesOut } = request.stream
      ? await stream(generation, dispatched, hold)
      : await answer(generation, dispatched, hold);
    return { outcome, modelId: model.id, usage, bytesOut };
  };

  /** Content is forwarded as it comes; the terminal event leaves only after the settlement. [decision 21] */
  async function stream(
    generation: Generation,
    { target, answer: { body } }: Dispatched,
    hold: Hold,
  ): Promise<Relayed> {
    const { publicRequestId, request, sink, startedAtMs, onFirstByte } = generation;
    const { keepAlive, failure } = manners[request.dialect];
    const stage = pickTranslator(request.dialect, target).stage(request);
    const relayed = await relay({ body, stage, sink, head: STREAM_HEAD, keepAlive, startedAtMs, onFirstByte });

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
        sink.end(failure(fault, publicRequestId));
        break;
      }
      case "client_gone":
        break;
      default:
        relayed.outcome satisfies never;
    }
    return relayed;
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
    if (outcome !== "completed") {
      await hold.settle({ outcome, usage: null });
      if (outcome === "client_gone") return { outcome, usage: null, bytesOut: 0 };
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
    return { outcome, usage, bytesOut: bytes.length };
  }
};

type Answered = { outcome: Outcome; usage: Usage | null; bytesOut: number };

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
