import type { Arrivals } from "../read/arrivals.ts";
import { createServeExchange } from "../serve/serve-route.ts";
import { createSockets, type Sockets } from "./create-sockets.ts";
import { postResponses } from "../routes/post-responses.ts";
import { createServeGeneration } from "../serve/serve-generation.ts";
import type { HttpParts, WebSocketSettings } from "../http-parts.ts";

type Served = Parameters<typeof createServeExchange>[0];

/** The sockets of POST /v1/responses: what makes a route of the interface also makes a message of a socket. */
export function createResponsesSocket(
  parts: HttpParts,
  { served, arrivals, settings }: { served: Served; arrivals: Arrivals; settings: WebSocketSettings },
): Sockets {
  const { limits, openRequest, requireFunds } = parts;
  const sinkLimits = { bufferBytes: limits.clientBufferBytes, stallMs: limits.clientStallMs };
  const generation = { ...parts, mediaUrls: limits.mediaUrls, maxJsonDepth: limits.jsonDepth, sinkLimits };
  const serveBody = (body: Buffer) => createServeGeneration({ ...generation, readBody: () => Promise.resolve(body) });
  return createSockets({
    ...parts,
    route: postResponses({ serve: serveBody(Buffer.alloc(0)), maxBodyBytes: limits.bodyBytes }),
    serveBody,
    serveExchange: createServeExchange(served),
    readMessage: parts.readSocketMessage,
    maxJsonDepth: limits.jsonDepth,
    arriving: { shares: served.shares, arrivals, requireFunds, unfundedBytes: limits.unfundedBodyBytes },
    recheck: ({ request, origin }, { secret }) =>
      openRequest({
        secret,
        address: () => served.callerAddress(request),
        origin,
        refusals: "full",
        onRate: () => undefined,
      }),
    settings: { ...settings, keySharePercent: limits.keySharePercent },
    limits: { idleMs: settings.idleMs, lifetimeMs: settings.lifetimeMs, sink: sinkLimits },
  });
}
