import type { Payer } from "../../core/money/payer.ts";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { fieldFault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import { inputShouldBe } from "../../core/request/parsed-texts.ts";
import { countRefusal, type CountRequest } from "../../gateway/count-request.ts";
import type { Caller } from "../../gateway/open-request.ts";
import type { Generate } from "../../gateway/generate/generate.ts";
import { type Idempotency, idempotencyOf } from "../../gateway/generate/idempotent/idempotency.ts";
import type { Generation } from "../../gateway/generate/generation.ts";
import type { Events } from "../../telemetry/events.ts";
import type { RouteName } from "../../telemetry/route-name.ts";
import type { Repeatable } from "../../wire/fingerprint.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { MediaUrls } from "../../wire/members/media-address.ts";
import type { ReadBody } from "../read/body.ts";
import type { Exchange, PublicRoute } from "../public-route.ts";
import { CLIENT_CLOSED, countsOf, heardBy } from "./heard-by.ts";
import { readIdempotencyKey } from "../read/idempotency-key.ts";
import { ResponseSink, type SinkLimits } from "../write/stream-sink.ts";

/** A body, and the headers that belong to it, become a request. */
export type ReadRequest = (arrived: {
  dialect: ClientDialect;
  keyId: string;
  payer: Payer;
  secret: string;
  bytes: Buffer;
  headers: Exchange["request"]["headers"];
  betas: readonly string[];
  mediaUrls: MediaUrls;
  maxDepth: number;
}) => GenerationRequest | Promise<GenerationRequest>;

/** What a request is known again by when it is repeated under its Idempotency-Key. */
export type Fingerprint = (repeatable: Repeatable & { payer: Payer }) => Buffer | Promise<Buffer>;

export type ServeGeneration = PublicRoute["work"];

/** Callers that cannot do with less than what they asked for say so; any other word is a mistake they should hear of. */
export function readFidelity(given: string | string[] | undefined): NonNullable<Generation["fidelity"]> {
  if (given === undefined) return "declared";
  if (given === "strict") return given;
  throw fieldFault("x-tollgate-fidelity", `${inputShouldBe("'strict'")}. Omit the header to accept declared losses.`);
}

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
    const { generate, countRequest, events, sinkLimits } = parts;
    const { route, context, response } = exchange;
    const { caller, log, requestId, startedAtMs } = context;
    invariant(caller, "a generation without a caller");
    let arrived: Arrived;
    try {
      arrived = await read(parts, exchange, caller);
    } catch (refusal) {
      return countRefusal(refusal, () => countRequest(caller, context.id));
    }
    const { request, fidelity, idempotencyKey } = arrived;
    log.modelAsked(request.model);
    const { outcome, code, usage, relayMs, bytesOut, dropped, replay, refusal } = await generate({
      id: context.id,
      requestId,
      caller,
      request,
      fidelity,
      idempotency: idempotencyKey === null ? null : await claim(parts, route.name, arrived, caller),
      sink: exchange.channel?.openSink() ?? new ResponseSink(response, requestId, sinkLimits),
      agent: exchange.request.headers["user-agent"],
      startedAtMs,
      ...heardBy(context, { mode: caller.key.mode, events }),
      onFirstByte: () => {
        log.firstByte();
        if (request.stream) log.streamOpened();
      },
    });
    return {
      status: outcome === "client_gone" && bytesOut === 0 ? CLIENT_CLOSED : 200,
      code,
      outcome,
      streamed: request.stream,
      ...countsOf(usage),
      providerMs: context.providerMs + relayMs,
      bytesOut,
      dropped,
      replay: replay ?? false,
      refusal: refusal ?? null,
    };
  };

/** What a request with an Idempotency-Key is known again by. */
async function claim({ fingerprint }: Parts, route: RouteName, arrived: Arrived, caller: Caller): Promise<Idempotency> {
  const { request, idempotencyKey, bytes } = arrived;
  invariant(idempotencyKey, "a claim without a key");
  const version = request.forwardedHeaders["anthropic-version"] ?? "";
  const print = await fingerprint({ route, version, bytes, payer: request.payer });
  return idempotencyOf(caller, { idempotencyKey, route, fingerprint: print });
}

type Arrived = {
  idempotencyKey: string | null;
  fidelity: NonNullable<Generation["fidelity"]>;
  request: GenerationRequest;
  bytes: Buffer;
};

/** Headers and body as the request they make; whatever is wrong with either is refused here. */
async function read(parts: Parts, exchange: Exchange, caller: Caller): Promise<Arrived> {
  const { dialect } = exchange.route;
  invariant(dialect !== null && dialect !== "embeddings", "a generation without a format");
  const { rawHeaders, headers } = exchange.request;
  const idempotencyKey = readIdempotencyKey(rawHeaders);
  const fidelity = readFidelity(headers["x-tollgate-fidelity"]);
  const bytes = await parts.readBody(exchange);
  const read = parts.readRequest({
    dialect,
    keyId: caller.key.id,
    payer: caller.key.payer,
    secret: caller.secret,
    bytes,
    headers,
    betas: parts.betas,
    mediaUrls: parts.mediaUrls,
    maxDepth: parts.maxJsonDepth,
  });
  return { idempotencyKey, fidelity, request: read instanceof Promise ? await read : read, bytes };
}
