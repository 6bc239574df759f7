import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "../../core/fault.ts";
import type { RenderFault } from "../../wire/errors/shape.ts";

const LINGER_MS = 1_000;
const SMALL_BODY_BYTES = 16_384;

type Refusal = {
  request: IncomingMessage;
  response: ServerResponse;
  fault: Fault;
  render: RenderFault;
  requestId: string;
};

/** Sends a refusal in the format of its route and returns the status. */
export function refuse({ request, response, fault, render, requestId }: Refusal): number {
  const { status, headers, body } = render(fault, requestId);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return status;
  }
  if (!request.complete && bodyBytes(request) > SMALL_BODY_BYTES) closeUnread(request, response);
  response.writeHead(status, {
    "content-type": "application/json",
    ...headers,
    "content-length": Buffer.byteLength(body),
    "x-request-id": requestId,
    "request-id": requestId,
  });
  response.end(body);
  return status;
}

/** How much is announced; a body of unknown length counts as endless. */
function bodyBytes(request: IncomingMessage): number {
  if (request.headers["transfer-encoding"] !== undefined) return Infinity;
  return Number(request.headers["content-length"] ?? 0);
}

/**
 * Answers without taking the body. Left alone, Node would read the rest of it to keep the connection; and closing at once, with
 * bytes unread, resets the connection before the caller has seen why. So: stop reading, send the answer, say goodbye, and
 * wait a moment for the caller to hang up.
 */
function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  response.setHeader("connection", "close");
  request.resume = () => request;
  socket.pause();
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
  };
}
