import { request as openRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { expect } from "vitest";

export type Knock = {
  method?: string;
  /** Name and value in turn, so that a header can be sent twice. */
  headers?: readonly string[];
  body?: string | Buffer;
  /** Sent as it is written, where that of a URL would be tidied. */
  path?: string;
};

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string };

/** One request on a connection of its own, with exactly the headers given. */
export async function knock(url: string, { method = "GET", headers = [], body, path }: Knock = {}): Promise<Reply> {
  const length = body === undefined ? [] : ["content-length", String(Buffer.byteLength(body))];
  const { host } = new URL(url);
  const request = openRequest(url, {
    method,
    headers: ["host", host, ...headers, ...length],
    agent: false,
    ...(path === undefined ? {} : { path }),
  });
  // Of what fails after the head, the response tells.
  request.on("error", () => undefined);
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

export const bearer = (key: string): string[] => ["authorization", `Bearer ${key}`];

export type FormatAError = {
  error: { message: string; type: string; code: string; param: string | null; request_id: string };
};

/** What every refusal of Format A has in common: the envelope, the ids, and the advice about trying again. */
export function expectRefusal(
  reply: Reply,
  expected: { status: number; code: string; type: string; param?: string | null; retry?: "never" | "unsaid" },
): FormatAError["error"] {
  const { status, code, type, param = null, retry = "never" } = expected;
  const body = JSON.parse(reply.text) as FormatAError;

  expect({ status: reply.status, body }).toEqual({
    status,
    body: {
      error: { message: expect.stringMatching(/\S/) as string, type, code, param, request_id: requestIdOf(reply) },
    },
  });
  expect(reply.headers["content-type"]).toBe("application/json");
  expect(reply.headers["x-should-retry"]).toBe(retry === "never" ? "false" : undefined);
  return body.error;
}

/** The id of a reply, which stands in two headers. */
export function requestIdOf(reply: Reply): string {
  const id = reply.headers["x-request-id"];
  expect(id).toMatch(/^req_[0-9a-f]{32}$/);
  expect(reply.headers["request-id"]).toBe(id);
  return id as string;
}
