import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import type { Handler } from "../router.ts";

type Unreadable = { status: string; message: string };

const UNREADABLE: Unreadable = { status: "400 Bad Request", message: "The request is not valid HTTP." };
const BY_CODE: Record<string, Unreadable> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    message: "The request headers are too large or too many. Send fewer or shorter headers.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    message: "The headers of the request took too long to arrive. Try again.",
  },
};
/** Its headers are there, so it is a request, and one that is answered with 408 would be listed nowhere. */
const LATE_BODY: Unreadable = {
  status: "400 Bad Request",
  message: "The request body took too long to arrive. Send less, or over a faster line.",
};
const LINGER_MS = 1_000;
/** A thousand, each of them a name and a value. */
const MOST_RAW_HEADERS = 2 * 1_000;

export type ClientErrors = {
  /** Every request must pass through this, so that bytes behind it can wait for its answer. */
  attend: (handle: Handler) => Handler;
  answer: (error: Error & { code?: string }, socket: Socket) => void;
};

type Parts = {
  clock: Clock;
  /** The response to the last request on a connection; null when there was none, or it has closed. */
  latest: (socket: Socket) => ServerResponse | null;
};

/** Bytes that are not a request: there is no route and no format yet, so the answer is the shortest that is true. */
export function createClientErrors({ clock, latest }: Parts): ClientErrors {
  /** The parser complains again with every piece that comes after the first bad one. */
  const told = new WeakSet<Socket>();

  function answer(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    if (!told.has(socket)) tell(socket, error.code ?? "");
  }

  function tell(socket: Socket, code: string): void {
    told.add(socket);
    const response = latest(socket);
    const isLateBody = code === "ERR_HTTP_REQUEST_TIMEOUT" && response !== null && !response.req.complete;
    const wrong = isLateBody ? LATE_BODY : (BY_CODE[code] ?? UNREADABLE);
    const say = (): void => hangUp(socket, refusal(wrong, requestIdOf(createId(clock.nowMs()))));
    if (response === null || response.writableFinished) say();
    // What is wrong stands behind a whole request, whose answer is its caller's due. It goes first, and unbroken.
    else if (response.req.complete) response.once("finish", say);
    // What is wrong is the body of the request that is being answered.
    else if (response.headersSent) socket.destroy();
    else say();
  }

  return {
    attend: (handle) => (request, response) => {
      const { socket, rawHeaders } = request;
      // Nothing is served behind a refusal that ends the connection.
      if (told.has(socket)) return;
      // Node 24 drops the headers beyond this many in silence, an Idempotency-Key perhaps; later ones do not let them come here.
      if (rawHeaders.length > MOST_RAW_HEADERS) return tell(socket, "HPE_HEADER_OVERFLOW");
      handle(request, response);
    },
    answer,
  };
}

function refusal({ status, message }: Unreadable, requestId: string): string {
  const body = JSON.stringify({
    error: { message, type: "invalid_request_error", code: "invalid_request", param: null, request_id: requestId },
  });
  const head = [
    `HTTP/1.1 ${status}`,
    "connection: close",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `request-id: ${requestId}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Says the last word. A caller that neither hangs up nor falls silent would hold the connection for ever, so it has a moment. */
function hangUp(socket: Socket, words: string): void {
  socket.end(words);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
