import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { createCallerAddress } from "./connection/caller-address.ts";
import { createClientErrors } from "./connection/client-error.ts";
import { createConnectionShare } from "./connection/connection-share.ts";
import { serveChecks } from "./serve/serve-checks.ts";
import { createKeptConnections } from "./connection/kept-connections.ts";
import { requireHost } from "./connection/require-host.ts";
import type { Sockets } from "./socket/create-sockets.ts";
import { createRouter } from "./router.ts";
import { tellQueued } from "./connection/tell-queued.ts";
import { addRoutes } from "./add-routes.ts";
import type { HttpParts } from "./http-parts.ts";
import { createPathRefusals } from "./path-refusals.ts";

/** Above the idle limit of common load balancers, so that it is they who close an idle connection. */
const KEEP_ALIVE_MS = 65_000;
const SILENT_CONNECTION_MS = 360_000;
const SILENCE_MARGIN_MS = 60_000;
const TIMEOUT_CHECK_MS = 2_000;
const UNREAD_MARGIN_MS = 10_000;

/** Limits that routes do not know of. */
type ServerLimits = {
  connections: number;
  addressSharePercent: number;
  headerBytes: number;
  headersTimeoutMs: number;
  streamDeadlineMs: number;
};

/** The public listener: both origins, both formats. */
export function createHttp(parts: HttpParts & { limits: ServerLimits }): Server {
  const { clock, limits } = parts;
  const refusals = createPathRefusals(clock);
  const router = createRouter(refusals);
  const { trustedProxies: trusted, adminToken } = parts;
  const callerAddress = createCallerAddress({ trusted, onHidden: parts.events.addressesHidden });
  const sockets = addRoutes(router, parts, callerAddress);
  const server = createServer({
    // Every other request that asks for an upgrade is answered as if it did not. [RFC 9110 7.8]
    shouldUpgradeCallback: (request) => sockets?.wants(request) ?? false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: limits.headersTimeoutMs,
    // A body that takes too long is answered in the format of its operation; this is for what is left of one that is not read.
    requestTimeout: limits.bodyTimeoutMs + UNREAD_MARGIN_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: limits.headerBytes,
    // Node's own refusal has no id; ours has.
    requireHostHeader: false,
    noDelay: true,
  });
  // The last resort against a connection on which nothing moves. Streams are kept alive far more often than this, but nothing
  // moves while a whole answer is waited for.
  server.timeout = Math.max(SILENT_CONNECTION_MS, limits.streamDeadlineMs + SILENCE_MARGIN_MS);
  server.maxConnections = limits.connections;
  server.on("connection", createConnectionShare({ ...limits, trusted }));
  const connections = createKeptConnections(server, parts.drain);
  server.closeIdleConnections = () => {
    connections.endIdle();
    sockets?.endIdle();
  };
  const clientErrors = createClientErrors({ clock, latest: connections.latest });
  const { bodyBytes: maxBodyBytes, streamDeadlineMs: longestSilenceMs } = limits;
  const route = serveChecks({ adminToken, callerAddress, maxBodyBytes, longestSilenceMs, clock }, router.handle);
  const handle = clientErrors.attend(tellQueued(connections.attend(requireHost(route, refusals.noHost))));
  server.on("request", handle);
  // A caller that asks before it sends is told to go on only when its body is wanted. Other expectations are not met, and
  // need not be.
  server.on("checkContinue", handle);
  server.on("checkExpectation", handle);
  server.on("clientError", clientErrors.answer);
  if (sockets !== null) addSockets(server, sockets, connections);
  return server;
}

/** Connections that are no longer HTTP, which the server does not know of any more. */
function addSockets(server: Server, sockets: Sockets, connections: ReturnType<typeof createKeptConnections>): void {
  server.on("upgrade", (request, socket: Socket, head) => {
    // What came before is not answered yet, so that this is no answer to it either.
    if (connections.take(socket) === null) socket.destroy();
    else sockets.open(request, socket, head);
  });
  const closeAll = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    closeAll();
    sockets.terminate();
  };
}
