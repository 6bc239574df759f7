import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { Fault, fieldFault } from "../../core/fault.ts";
import { type KeyMode, KEY_MODES, ORIGIN_PREFIX } from "../../core/people/key-mode.ts";

/** Makes a socket of a request, or throws. What has come behind the request is `head`. */
export type Handshake = (asked: {
  request: IncomingMessage;
  requestId: string;
  socket: Socket;
  head: Buffer;
}) => WebSocket;

const SOCKET_KEY = /^[+/\dA-Za-z]{22}==$/;
const MOST_CHUNKS = 65_536;
/** How long a client has to answer when we close. */
const CLOSE_MS = 2_000;

export function createHandshake({ maxBytes }: { maxBytes: number }): Handshake {
  const options = {
    noServer: true,
    clientTracking: false,
    // A small message cannot become a large one, and a socket needs no memory for it.
    perMessageDeflate: false,
    // A ping is answered only while the client reads.
    autoPong: false,
    maxPayload: maxBytes,
    maxBufferedChunks: MOST_CHUNKS,
    closeTimeout: CLOSE_MS,
  };
  const server = new WebSocketServer(options);
  // Refused below.
  server.on("wsClientError", () => undefined);
  return ({ request, requestId, socket, head }) => {
    requireHandshake(request);
    const addIds = (headers: string[]): void =>
      void headers.push(`x-request-id: ${requestId}`, `request-id: ${requestId}`);
    let made: WebSocket | null = null;
    server.once("headers", addIds);
    server.handleUpgrade(request, socket, head, (ws) => (made = ws));
    server.off("headers", addIds);
    if (made === null) throw new Fault("invalid_request", "The WebSocket handshake is not valid.");
    return made;
  };
}

/** Whether a request asks for a WebSocket, wherever. */
export const asksForSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

const PATHS = new Map<string, KeyMode>(KEY_MODES.map((mode) => [`${ORIGIN_PREFIX[mode]}/v1/responses`, mode]));

/** The origin whose sockets a request is for; null: there are none at its path. */
export function originOf({ url = "" }: IncomingMessage): KeyMode | null {
  const query = url.indexOf("?");
  return PATHS.get(query === -1 ? url : url.slice(0, query)) ?? null;
}

function requireHandshake({ headers }: IncomingMessage): void {
  if (headers["sec-websocket-version"] !== "13") throw fieldFault("Sec-WebSocket-Version", "The version must be 13.");
  if (!SOCKET_KEY.test(headers["sec-websocket-key"] ?? ""))
    throw fieldFault("Sec-WebSocket-Key", "The header is missing or not valid.");
  if (headers["idempotency-key"] !== undefined)
    throw fieldFault("Idempotency-Key", "The header belongs to one request, and a WebSocket carries several.");
}
