import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Clock } from "../../core/clock.ts";
import { invariant } from "../../core/invariant.ts";
import type { KeyMode } from "../../core/people/key-mode.ts";
import type { Caller } from "../../gateway/open-request.ts";
import type { Events } from "../../telemetry/events.ts";
import type { Drain } from "../connection/drain.ts";
import { type Exchange, NOTHING_GENERATED } from "../public-route.ts";
import { hasOneHost } from "../connection/require-host.ts";
import { CLOSE } from "./close-codes.ts";
import { createConversations } from "./conversations.ts";
import { asksForSocket, createHandshake, originOf } from "./handshake.ts";
import { createServeMessage, type MessageParts } from "./serve-message.ts";
import { createSocketPlaces } from "./socket-places.ts";
import { type SessionParts, SocketSession } from "./socket-session.ts";

export type SocketSettings = {
  sockets: number;
  keySharePercent: number;
  /** Of conversations that are kept to be gone on with. */
  conversationBytes: number;
};

type Parts = Omit<MessageParts, "conversations"> &
  Pick<SessionParts, "limits" | "arriving"> & {
    drain: Drain;
    clock: Clock;
    events: Pick<Events, "socketOpened" | "socketClosed">;
    /** Throws when the key may no longer be used. */
    recheck: (exchange: Exchange, caller: Caller) => unknown;
    settings: SocketSettings;
  };

export type Sockets = {
  /** Whether a request asks for a socket at a place where there are any. */
  wants: (request: IncomingMessage) => boolean;
  /** Answers such a request: with a socket, or with a refusal of HTTP. */
  open: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
  /** Closes those that serve nothing now. The others close when they are done. */
  endIdle: () => void;
  terminate: () => void;
};

const LOOK_MS = 5_000;

/** GET /v1/responses with an upgrade. [interface decision 41] */
export function createSockets(parts: Parts): Sockets {
  const { settings, limits, route, clock, drain, arriving, events } = parts;
  const handshake = createHandshake({ maxBytes: route.maxBodyBytes });
  const places = createSocketPlaces({ ...settings, onChange: events });
  const conversations = createConversations({
    bytes: settings.conversationBytes,
    mostBytes: route.maxBodyBytes,
    keySharePercent: settings.keySharePercent,
  });
  setInterval(() => places.each((session) => session.look()), LOOK_MS).unref();

  function start(exchange: Exchange, caller: Caller, line: { ws: WebSocket; socket: Socket }): void {
    const { request, response, origin } = exchange;
    const session = new SocketSession({
      ...line,
      caller,
      headers: request.headers,
      limits,
      arriving,
      serve: createServeMessage({ ...parts, conversations }, { request, response, origin }),
      recheck: () => parts.recheck(exchange, caller),
      isDraining: drain.isDraining,
      clock,
    });
    places.take(session);
    line.ws.once("close", () => {
      places.leave(session);
      conversations.forget(session);
    });
  }

  const openRoute = (socket: Socket, head: Buffer): Exchange["route"] => ({
    ...route,
    method: "GET",
    name: "responses_socket",
    dialect: null,
    work: async (exchange) => {
      const { request, response, context } = exchange;
      const { caller, requestId } = context;
      invariant(caller, "a socket without a caller");
      places.requireOne(caller.key.payer);
      const ws = handshake({ request, requestId, socket, head });
      response.detachSocket(socket);
      start(exchange, caller, { ws, socket });
      return { ...NOTHING_GENERATED, status: 101 };
    },
  });

  return {
    wants: (request) => asksForSocket(request) && originOf(request) !== null && hasOneHost(request),
    open: (request, socket, head) => {
      const origin: KeyMode | null = originOf(request);
      invariant(origin, "a socket where there are none");
      const response = responseOn(request, socket);
      void parts.serveExchange({ origin, request, response, route: openRoute(socket, head) });
    },
    endIdle: () => places.each((session) => session.isBusy() || session.close(CLOSE.restart)),
    terminate: () => places.each((session) => session.terminate()),
  };
}

/** For a refusal. The server of HTTP has let go of the connection, so that it ends with it. */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  response.once("finish", () => socket.destroySoon());
  socket.on("error", () => socket.destroy());
  return response;
}
