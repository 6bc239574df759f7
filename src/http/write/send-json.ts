import type { ServerResponse } from "node:http";

type JsonAnswer = { requestId: string; value: unknown; headers?: Record<string, string>; status?: number };

/** Sends a whole JSON answer with the ids every response carries; returns its size. */
export function sendJson(
  response: ServerResponse,
  { requestId, value, headers = {}, status = 200 }: JsonAnswer,
): number {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json",
    "content-length": body.length,
    "x-request-id": requestId,
    "request-id": requestId,
  });
  response.end(body);
  return body.length;
}
