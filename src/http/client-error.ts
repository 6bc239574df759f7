import type { Socket } from "node:net";
import type { Clock } from "../core/clock.ts";
import { createId, requestIdOf } from "../core/ids.ts";

const STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Bytes that are not a request: there is no route and no format yet, so the answer is the shortest that is true. */
export const createAnswerClientError =
  (clock: Clock) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS[error.code ?? ""] ?? "400 Bad Request";
    const requestId = requestIdOf(createId(clock.nowMs()));
    const message = `${status.slice(4)}.`;
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
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  };
