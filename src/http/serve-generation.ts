import { invariant } from "../core/invariant.ts";
import type { Generate } from "../gateway/generate.ts";
import type { Events } from "../telemetry/events.ts";
import type { RequestFinished } from "../telemetry/request-line.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import { parseBody, type ParsedBody } from "../wire/json/parse-body.ts";
import { readBody } from "./body.ts";
import type { Call } from "./door.ts";
import { ResponseSink, type SinkLimits } from "./stream-sink.ts";

export type ServeGeneration = (call: Call, read: (body: ParsedBody) => GenerationRequest) => Promise<RequestFinished>;

/** For the log alone: nobody was there to be told a status. */
const CLIENT_CLOSED = 499;

type Parts = {
  generate: Generate;
  events: Pick<Events, "upstreamFailed">;
  sinkLimits: SinkLimits;
  maxBodyBytes: number;
  maxJsonDepth: number;
};

/** From a body in any client format to a finished answer. */
export const createServeGeneration =
  ({ generate, events, sinkLimits, maxBodyBytes, maxJsonDepth }: Parts): ServeGeneration =>
  async (call, read) => {
    const { visit, response } = call;
    const { key, trail, requestId, startedAtMs } = visit;
    invariant(key, "a generation without a key");
    const request = read(parseBody(await readBody(call, maxBodyBytes), maxJsonDepth));
    const { outcome, modelId, usage, relayMs, bytesOut } = await generate({
      id: visit.id,
      requestId,
      key,
      request,
      sink: new ResponseSink(response, requestId, sinkLimits),
      startedAtMs,
      onAttempt: ({ target, number, status, failure, waitedMs }) => {
        visit.providerMs += waitedMs;
        trail.dispatched({ provider: target.provider, routeId: target.id, attempt: number });
        if (failure === null) return;
        events.upstreamFailed({ requestId, provider: target.provider, routeId: target.id, reason: failure, status });
      },
      onFirstByte: () => {
        trail.firstByte();
        if (request.stream) trail.streamOpened();
      },
    });
    return {
      status: outcome === "client_gone" && bytesOut === 0 ? CLIENT_CLOSED : 200,
      code: null,
      outcome,
      model: modelId,
      streamed: request.stream,
      inputTokens: usage?.inputTokens ?? 0,
      outputTokens: usage?.outputTokens ?? 0,
      providerMs: visit.providerMs + relayMs,
      bytesOut,
    };
  };
