import { createArrivals } from "./read/arrivals.ts";
import { createReadBody } from "./read/body.ts";
import type { CallerAddress } from "./connection/caller-address.ts";
import { createServeRoute } from "./serve/serve-route.ts";
import { addHealth } from "./serve/health.ts";
import { createPayerShares } from "./read/payer-shares.ts";
import type { Sockets } from "./socket/create-sockets.ts";
import type { Router } from "./router.ts";
import { getConsole } from "./routes/get-console.ts";
import { getDocs } from "./routes/get-docs.ts";
import { getModel } from "./routes/get-model.ts";
import { getModels } from "./routes/get-models.ts";
import { getOpenapi } from "./routes/get-openapi.ts";
import { getUsage } from "./routes/get-usage.ts";
import { postChatCompletions } from "./routes/post-chat-completions.ts";
import { postCountTokens } from "./routes/post-count-tokens.ts";
import { postEmbeddings } from "./routes/post-embeddings.ts";
import { postMessages } from "./routes/post-messages.ts";
import { postResponses } from "./routes/post-responses.ts";
import { createServeEmbeddings } from "./serve/serve-embeddings.ts";
import { createServeGeneration } from "./serve/serve-generation.ts";
import { createServePage } from "./serve/serve-page.ts";
import type { HttpParts } from "./http-parts.ts";
import { holderRoutes } from "./routes/holder-routes.ts";
import { signInRoutes } from "./sign-in/sign-in-routes.ts";
import { createResponsesSocket } from "./socket/create-responses-socket.ts";

/** Every route of the public listener; answers its sockets, null where they are off. */
export function addRoutes(router: Router, parts: HttpParts, callerAddress: CallerAddress): Sockets | null {
  const { showUsage, listModels, showModel, countTokens, readCountRequest, betas } = parts;
  const { health, drain, clock, limits } = parts;
  const arrivals = createArrivals({
    clock,
    bytesPerSecond: limits.bodyBytesPerSecond,
    timeoutMs: limits.bodyTimeoutMs,
  });
  const readBody = createReadBody({
    unfundedBytes: limits.unfundedBodyBytes,
    requireFunds: parts.requireFunds,
    arrivals,
  });
  const reading = {
    readBody,
    maxJsonDepth: limits.jsonDepth,
    sinkLimits: { bufferBytes: limits.clientBufferBytes, stallMs: limits.clientStallMs },
  };
  const serve = createServeGeneration({ ...parts, ...reading, mediaUrls: limits.mediaUrls });
  const serveEmbeddings = createServeEmbeddings({ ...parts, ...reading });
  const { makeRoom } = arrivals;
  const shares = createPayerShares({ ...limits, makeRoom });
  const served = { ...parts, callerAddress, shares, makeRoom, maxOpenRequests: limits.openRequests };
  const serveRoute = createServeRoute({ ...served, router });
  const { bodyBytes: maxBodyBytes } = limits;
  const generations = [
    postChatCompletions({ serve, maxBodyBytes }),
    postResponses({ serve, maxBodyBytes }),
    postMessages({ serve, maxBodyBytes }),
  ];
  for (const route of [
    getModels({ listModels }),
    getModel({ showModel }),
    getUsage({ showUsage }),
    ...generations,
    postEmbeddings({ serve: serveEmbeddings, maxBodyBytes }),
    postCountTokens({ countTokens, readCountRequest, readBody, limits, betas }),
    ...holderRoutes(parts, { callerAddress, arrivals, generations }),
    ...signInRoutes(parts, { callerAddress, arrivals }),
  ])
    serveRoute(route);
  const servePage = createServePage(parts);
  getOpenapi(router, servePage);
  getDocs(router, servePage);
  if (parts.holder !== null) getConsole(router, parts);
  addHealth(router, { health, drain, clock });
  return parts.webSocket && createResponsesSocket(parts, { served, arrivals, settings: parts.webSocket });
}
