import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../core/clock.ts";
import type { WriteDescription } from "../core/description.ts";
import { Fault } from "../core/fault.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import type { NetworkList } from "../core/network-list.ts";
import type { ServeFile } from "../core/served-file.ts";
import type { RecentLimits } from "../gateway/client/recent-limits.ts";
import type { ShowClientUsage } from "../gateway/client/show-client-usage.ts";
import type { CountRequest } from "../gateway/count-request.ts";
import type { CountTokens } from "../gateway/count-tokens.ts";
import type { Generate } from "../gateway/generate/generate.ts";
import type { ListModels, ShowModel } from "../gateway/list-models.ts";
import type { OpenRequest } from "../gateway/open-request.ts";
import type { HolderDoor } from "../gateway/holder/holder-door.ts";
import type { HolderChanges, HolderReads } from "../gateway/holder/holder-reads.ts";
import type { OpenSession } from "../gateway/holder/open-session.ts";
import type { SignInPerson } from "../gateway/holder/sign-in-person.ts";
import type { RequireFunds } from "../gateway/require-funds.ts";
import type { ShowUsage } from "../gateway/show-usage.ts";
import type { Address } from "../openapi/page/docs-page.ts";
import type { Events } from "../telemetry/events.ts";
import { renderFormatA } from "../wire/errors/format-a.ts";
import { renderFormatB } from "../wire/errors/format-b.ts";
import type { MediaUrls } from "../wire/members/media-address.ts";
import { type Arrivals, createArrivals } from "./arrivals.ts";
import { createReadBody, createReadSmallBody, createReadSmallBytes, createReadSmallForm } from "./body.ts";
import { type CallerAddress, createCallerAddress } from "./caller-address.ts";
import { createClientErrors } from "./client-error.ts";
import { type ClientRouteParts, clientRoutes } from "./client/client-routes.ts";
import { createReadTelemetry } from "./client/read-telemetry.ts";
import { createConnectionShare } from "./connection-share.ts";
import type { EqualCredentials } from "./credential.ts";
import { serveChecks } from "./serve-checks.ts";
import { createServeExchange, createServeRoute } from "./serve-route.ts";
import type { Drain } from "./drain.ts";
import { addHealth, type Degraded, type Readiness } from "./health.ts";
import { createKeptConnections } from "./kept-connections.ts";
import { createPayerShares } from "./payer-shares.ts";
import { createRequireOwnOrigin } from "./own-origin.ts";
import type { PublicRoute } from "./public-route.ts";
import { refuse } from "./refuse.ts";
import { requireHost } from "./require-host.ts";
import { createSockets, type Sockets, type SocketSettings } from "./socket/create-sockets.ts";
import { asksForSocket, originOf } from "./socket/handshake.ts";
import type { ReadSocketMessage } from "./socket/serve-message.ts";
import { createRouter, type Router } from "./router.ts";
import { getConsole } from "./routes/get-console.ts";
import { getDocs } from "./routes/get-docs.ts";
import { getMe } from "./routes/get-me.ts";
import { getModel } from "./routes/get-model.ts";
import { getModels } from "./routes/get-models.ts";
import { getOpenapi } from "./routes/get-openapi.ts";
import { getUsage } from "./routes/get-usage.ts";
import { meGenerations } from "./routes/me-generations.ts";
import { meSession } from "./routes/me-session.ts";
import { meSessions } from "./routes/me-sessions.ts";
import { postChatCompletions } from "./routes/post-chat-completions.ts";
import { postCountTokens, type ReadCountRequest } from "./routes/post-count-tokens.ts";
import { postMessages } from "./routes/post-messages.ts";
import { postResponses } from "./routes/post-responses.ts";
import { createServeGeneration, type Fingerprint, type ReadRequest } from "./serve-generation.ts";
import { createServeRead } from "./serve-holder.ts";
import { createServePage } from "./serve-page.ts";
import { createSessionCookie } from "./session-cookie.ts";
import { createDeviceCookie } from "./sign-in/device-cookie.ts";
import { type DeviceRouteParts, deviceRoutes } from "./sign-in/device-routes.ts";
import { oauthRoutes } from "./sign-in/oauth-routes.ts";
import { createReadForm } from "./sign-in/read-form.ts";
import { tellQueued } from "./tell-queued.ts";
import { socketsOff, unknownPath, wrongMethod } from "./unknown-path.ts";

export type HttpLimits = {
  bodyBytes: number;
  jsonDepth: number;
  mediaUrls: MediaUrls;
  openRequests: number;
  keySharePercent: number;
  bodyBudgetBytes: number;
  bodyBytesPerSecond: number;
  unfundedBodyBytes: number;
  connections: number;
  addressSharePercent: number;
  clientBufferBytes: number;
  clientStallMs: number;
  headerBytes: number;
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
  streamDeadlineMs: number;
};

/** Responses over WebSocket. */
export type WebSocketSettings = Omit<SocketSettings, "keySharePercent"> & { idleMs: number; lifetimeMs: number };

type Parts = {
  openRequest: OpenRequest;
  countRequest: CountRequest;
  generate: Generate;
  showUsage: ShowUsage;
  listModels: ListModels;
  showModel: ShowModel;
  countTokens: CountTokens;
  readRequest: ReadRequest;
  readCountRequest: ReadCountRequest;
  readSocketMessage: ReadSocketMessage;
  /** Null: nobody gets one. */
  webSocket: WebSocketSettings | null;
  fingerprint: Fingerprint;
  requireFunds: RequireFunds;
  /** Null: key holders read nothing here. */
  holder: {
    door: HolderDoor;
    reads: HolderReads;
    changes: HolderChanges;
    openSession: OpenSession;
    signInPerson: SignInPerson;
  } | null;
  /** How clients sign in; null: no identity provider is configured. */
  clientSignIn:
    | (Pick<DeviceRouteParts, "deviceSignIn" | "providerScheme"> &
        Pick<ClientRouteParts, "settingsOf" | "forwardTelemetry">)
    | null;
  showClientUsage: ShowClientUsage;
  recentLimits: RecentLimits;
  /** The files of the key holder's console. */
  serveConsole: ServeFile;
  events: Events;
  drain: Drain;
  readiness: Readiness;
  degraded: Degraded;
  clock: Clock;
  random: () => number;
  /** Where clients reach this listener, as the description shows it, and whether the operator set it. */
  publicUrl: () => string;
  address: Address;
  writeDescription: WriteDescription;
  limits: HttpLimits;
  /** Signs the tickets of `tollgate doctor`. */
  adminToken: string;
  /** Proxies whose word on where a request comes from is taken. */
  trustedProxies: NetworkList;
  /** What becomes of one key that is sent in both headers. */
  equalCredentials: EqualCredentials;
  /** The operator's own additions to the flags of Format B that are passed on. */
  betas: readonly string[];
};

/** Above the idle limit of common load balancers, so that it is they who close an idle connection. */
const KEEP_ALIVE_MS = 65_000;
const SILENT_CONNECTION_MS = 360_000;
const SILENCE_MARGIN_MS = 60_000;
const TIMEOUT_CHECK_MS = 2_000;
const UNREAD_MARGIN_MS = 10_000;

/** The public listener: both origins, both formats. */
export function createHttp(parts: Parts): Server {
  const { clock, limits } = parts;
  const refusals = createRefusals(clock);
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

function addRoutes(router: Router, parts: Parts, callerAddress: CallerAddress): Sockets | null {
  const { showUsage, listModels, showModel, countTokens, readCountRequest, betas } = parts;
  const { readiness, degraded, drain, clock, limits } = parts;
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
  const serve = createServeGeneration({
    ...parts,
    mediaUrls: limits.mediaUrls,
    readBody,
    maxJsonDepth: limits.jsonDepth,
    sinkLimits: { bufferBytes: limits.clientBufferBytes, stallMs: limits.clientStallMs },
  });
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
    postCountTokens({ countTokens, readCountRequest, readBody, limits, betas }),
    ...holderRoutes(parts, { callerAddress, arrivals, generations }),
    ...signInRoutes(parts, { callerAddress, arrivals }),
  ])
    serveRoute(route);
  const servePage = createServePage(parts);
  getOpenapi(router, servePage);
  getDocs(router, servePage);
  if (parts.holder !== null) getConsole(router, parts);
  addHealth(router, { readiness, degraded, drain, clock });
  return parts.webSocket && socketsOf(parts, { served, arrivals, settings: parts.webSocket });
}

type Served = Parameters<typeof createServeExchange>[0];

/** The sockets of POST /v1/responses: what makes a route of the interface also makes a message of a socket. */
function socketsOf(
  parts: Parts,
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

/** How clients sign in, with the paths of Claude Code's gateway protocol. */
function signInRoutes(
  { clientSignIn, holder, showClientUsage, publicUrl, address }: Parts,
  { callerAddress, arrivals }: { callerAddress: CallerAddress; arrivals: Arrivals },
): readonly PublicRoute[] {
  if (clientSignIn === null) return [];
  const isSecure = (): boolean => publicUrl().startsWith("https:");
  const shared = {
    ...clientSignIn,
    publicUrl,
    callerAddress,
    readForm: createReadForm(createReadSmallForm(arrivals)),
    cookie: createDeviceCookie("device", isSecure),
    browser: holder && {
      signInPerson: holder.signInPerson,
      cookie: createDeviceCookie("person", isSecure),
      session: createSessionCookie(isSecure),
    },
    requireOwnOrigin: createRequireOwnOrigin({ publicUrl, address }),
  };
  const readTelemetry = createReadTelemetry(createReadSmallBytes(arrivals));
  return [
    ...oauthRoutes(shared),
    ...deviceRoutes(shared),
    ...clientRoutes({ ...clientSignIn, showClientUsage, readTelemetry }),
  ];
}

/** The key holder's API, below `/me`. */
function holderRoutes(
  { holder, clientSignIn, publicUrl, address, equalCredentials }: Parts,
  beside: { callerAddress: CallerAddress; arrivals: Arrivals; generations: readonly PublicRoute[] },
): readonly PublicRoute[] {
  if (holder === null) return [];
  const { door, reads, changes, openSession } = holder;
  const { callerAddress, arrivals, generations } = beside;
  const cookie = createSessionCookie(() => publicUrl().startsWith("https:"));
  const requireOwnOrigin = createRequireOwnOrigin({ publicUrl, address });
  const readSmallBody = createReadSmallBody(arrivals);
  return [
    ...meSession({
      door,
      cookie,
      requireOwnOrigin,
      readSmallBody,
      callerAddress,
      waysIn: { sso: clientSignIn !== null },
    }),
    ...meSessions({ door, changes, cookie, requireOwnOrigin, callerAddress, equalCredentials }),
    ...meGenerations(generations, { openSession, cookie, requireOwnOrigin, callerAddress }),
    ...getMe(reads).map(createServeRead({ door, cookie, callerAddress, equalCredentials })),
  ];
}

/** Unknown paths and wrong methods are refused in the format of the path they come closest to. [interface decision 26] */
function createRefusals(clock: Clock) {
  const send = (request: IncomingMessage, response: ServerResponse, path: string, fault: Fault): void => {
    const render = path.includes("/v1/messages") ? renderFormatB : renderFormatA;
    refuse({ request, response, fault, render, requestId: requestIdOf(createId(clock.nowMs())) });
  };
  return {
    noHost: (request: IncomingMessage, response: ServerResponse): void =>
      send(request, response, request.url ?? "", new Fault("invalid_request", "Send exactly one Host header.")),
    notFound: (request: IncomingMessage, response: ServerResponse, path: string, nearest: string | null): void =>
      send(request, response, path, unknownPath(path, nearest)),
    methodNotAllowed: (
      request: IncomingMessage,
      response: ServerResponse,
      path: string,
      allowed: readonly string[],
    ): void => {
      if (asksForSocket(request) && originOf(request) !== null) {
        response.setHeader("upgrade", "websocket");
        response.setHeader("connection", "upgrade");
        send(request, response, path, socketsOff());
        return;
      }
      response.setHeader("allow", allowed.join(", "));
      send(request, response, path, wrongMethod(path, request.method ?? "", allowed));
    },
  };
}
