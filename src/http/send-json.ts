import type { ServerResponse } from "node:http";

/** Sends a whole JSON answer with the ids every response carries; returns its size. */
export function sendJson(response: ServerResponse, requestId: string, value: unknown): number {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": body.length,
    "x-request-id": requestId,
    "request-id": requestId,
  });
  response.end(body);
  return body.length;
}
