import type { Payer } from "../../core/money/payer.ts";
import { invariant } from "../../core/invariant.ts";
import { countRefusal, type CountRequest } from "../../gateway/count-request.ts";
import type { Embed } from "../../gateway/embed/embed.ts";
import type { Embedding } from "../../gateway/embed/embedding.ts";
import { type Idempotency, idempotencyOf } from "../../gateway/generate/idempotent/idempotency.ts";
import type { Caller } from "../../gateway/open-request.ts";
import type { Events } from "../../telemetry/events.ts";
import type { EmbeddingsRequest } from "../../wire/embeddings/embeddings-request.ts";
import type { Exchange, PublicRoute } from "../public-route.ts";
import type { ReadBody } from "../read/body.ts";
import { readIdempotencyKey } from "../read/idempotency-key.ts";
import { ResponseSink, type SinkLimits } from "../write/stream-sink.ts";
import { CLIENT_CLOSED, countsOf, heardBy } from "./heard-by.ts";
import { type Fingerprint, readFidelity } from "./serve-generation.ts";

/** A body becomes a request. `likely`: how many tokens its inputs probably have. */
export type ReadEmbeddings = (arrived: {
  keyId: string;
  payer: Payer;
  bytes: Buffer;
  maxDepth: number;
}) => ReadEmbedding | Promise<ReadEmbedding>;

type ReadEmbedding = { request: EmbeddingsRequest; likely: number };

export type ServeEmbeddings = PublicRoute["work"];

type Parts = {
  embed: Embed;
  countRequest: CountRequest;
  readEmbeddings: ReadEmbeddings;
  fingerprint: Fingerprint;
  events: Pick<Events, "upstreamFailed">;
  sinkLimits: SinkLimits;
  readBody: ReadBody;
  maxJsonDepth: number;
};

/** From a body to one vector for each input. */
export const createServeEmbeddings =
  (parts: Parts): ServeEmbeddings =>
  async (exchange) => {
    const { embed, countRequest, events, sinkLimits } = parts;
    const { context, response } = exchange;
    const { caller, log, requestId, startedAtMs } = context;
    invariant(caller, "embeddings without a caller");
    let arrived: Arrived;
    try {
      arrived = await read(parts, exchange, caller);
    } catch (refusal) {
      return countRefusal(refusal, () => countRequest(caller, context.id));
    }
    const { request, likely, fidelity, idempotency } = arrived;
    log.modelAsked(request.model);
    const { outcome, usage, relayMs, bytesOut, dropped, replay } = await embed({
      id: context.id,
      requestId,
      caller,
      request,
      likely,
      fidelity,
      idempotency,
      sink: new ResponseSink(response, requestId, sinkLimits),
      agent: exchange.request.headers["user-agent"],
      startedAtMs,
      ...heardBy(context, { mode: caller.key.mode, events }),
      onFirstByte: () => log.firstByte(),
    });
    return {
      status: outcome === "client_gone" && bytesOut === 0 ? CLIENT_CLOSED : 200,
      code: null,
      outcome,
      streamed: false,
      ...countsOf(usage),
      providerMs: context.providerMs + relayMs,
      bytesOut,
      dropped,
      replay: replay ?? false,
      refusal: null,
    };
  };

type Arrived = ReadEmbedding & { fidelity: Embedding["fidelity"]; idempotency: Idempotency | null };

/** Headers and body as the request they make; whatever is wrong with either is refused here. */
async function read(parts: Parts, exchange: Exchange, caller: Caller): Promise<Arrived> {
  const { rawHeaders, headers } = exchange.request;
  const idempotencyKey = readIdempotencyKey(rawHeaders);
  const fidelity = readFidelity(headers["x-tollgate-fidelity"]);
  const bytes = await parts.readBody(exchange);
  const { id: keyId, payer } = caller.key;
  const { request, likely } = await parts.readEmbeddings({ keyId, payer, bytes, maxDepth: parts.maxJsonDepth });
  if (idempotencyKey === null) return { request, likely, fidelity, idempotency: null };
  const { name: route } = exchange.route;
  const fingerprint = await parts.fingerprint({ route, version: "", bytes, payer });
  return { request, likely, fidelity, idempotency: idempotencyOf(caller, { idempotencyKey, route, fingerprint }) };
}
