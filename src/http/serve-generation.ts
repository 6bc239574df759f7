import type { ClientDialect } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import { invariant } from "../core/invariant.ts";
import { type CountRequest, countingRefusals } from "../gateway/count-request.ts";
import type { Generate } from "../gateway/generate/generate.ts";
import { idempotencyOf } from "../gateway/generate/idempotency.ts";
import type { Generation } from "../gateway/generate/generation.ts";
import type { Events } from "../telemetry/events.ts";
import type { Repeatable } from "../wire/fingerprint.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import type { MediaUrls } from "../wire/members/media-address.ts";
import type { ReadBody } from "./body.ts";
import type { Exchange, PublicRoute } from "./public-route.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { ResponseSink, type SinkLimits } from "./stream-sink.ts";

/** A body, and the headers that belong to it, become a request. */
export type ReadRequest = (arrived: {
  dialect: ClientDialect;
  keyId: string;
  secret: string;
  bytes: Buffer;
  headers: Exchange["request"]["headers"];
  betas: readonly string[];
  mediaUrls: MediaUrls;
  maxDepth: number;
}) => GenerationRequest | Promise<GenerationRequest>;

/** What a request is known again by when it is repeated under its Idempotency-Key. */
export type Fingerprint = (repeatable: Repeatable & { owner: string }) => Buffer | Promise<Buffer>;

export type ServeGeneration = PublicRoute["work"];

/** Callers that cannot do with less than what they asked for say so; any other word is a mistake they should hear of. */
function readFidelity(given: string | string[] | undefined): NonNullable<Generation["fidelity"]> {
  if (given === undefined) return "declared";
  if (given === "strict") return given;
  throw new Fault("invalid_request", "x-tollgate-fidelity: Input should be 'strict', or the header left out", {
    param: "x-tollgate-fidelity",
  });
}

/** For the log alone: nobody was there to be told a status. */
const CLIENT_CLOSED = 499;

type Parts = {
  generate: Generate;
  countRequest: CountRequest;
  readRequest: ReadRequest;
  fingerprint: Fingerprint;
  betas: readonly string[];
  mediaUrls: MediaUrls;
  events: Pick<Events, "upstreamFailed">;
  sinkLimits: SinkLimits;
  readBody: ReadBody;
  maxJsonDepth: number;
};

/** From a body in any client format to a finished answer. */
export const createServeGeneration =
  (parts: Parts): ServeGeneration =>
  async (exchange) => {
    const { generate, countRequest, readRequest, fingerprint, events, sinkLimits } = parts;
    const { route, context, request: incoming, response } = exchange;
    const { dialect } = route;
    const { caller, log, requestId, startedAtMs } = context;
    invariant(caller !== null && dialect !== null, "a generation without a caller or a format");
    const { request, fidelity, idempotencyKey, bytes } = await countingRefusals(
      () => countRequest(caller, context.id),
      async () => {
        const named = readIdempotencyKey(incoming.rawHeaders);
        const wanted = readFidelity(incoming.headers["x-tollgate-fidelity"]);
        const body = await parts.readBody(exchange);
        const read = await readRequest({
          dialect,
          keyId: caller.key.id,
          secret: caller.secret,
          bytes: body,
          headers: incoming.headers,
          betas: parts.betas,
          mediaUrls: parts.mediaUrls,
          maxDepth: parts.maxJsonDepth,
        });
        return { idempotencyKey: named, fidelity: wanted, request: read, bytes: body };
      },
    );
    const version = request.forwardedHeaders["anthropic-version"] ?? "";
    const { outcome, code, modelId, usage, relayMs, bytesOut, dropped } = await generate({
      id: context.id,
      requestId,
      caller,
      request,
      fidelity,
      idempotency:
        idempotencyKey === null
          ? null
          : idempotencyOf(caller, {
              idempotencyKey,
              route: route.name,
              fingerprint: await fingerprint({ route: route.name, version, bytes, owner: request.owner }),
            }),
      sink: new ResponseSink(response, requestId, sinkLimits),
      startedAtMs,
      onAttempt: ({ route: { id: routeId, provider }, number, status, failure, waitedMs }) => {
        context.providerMs += waitedMs;
        log.dispatched({ provider, routeId, attempt: number });
        if (failure === null) return;
        events.upstreamFailed({ requestId, provider, routeId, reason: failure, status });
      },
      onFirstByte: () => {
        log.firstByte();
        if (request.stream) log.streamOpened();
      },
    });
    return {
      status: outcome === "client_gone" && bytesOut === 0 ? CLIENT_CLOSED : 200,
      code,
      outcome,
      model: modelId,
      streamed: request.stream,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      providerMs: context.providerMs + relayMs,
      bytesOut,
      dropped,
    };
  };
