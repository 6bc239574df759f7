import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fault } from "../../core/fault.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { refuse } from "./refuse.ts";

let server: Server;
const fault = new Fault("model_not_found", "There is none.", { param: "model" });
const refusal = (request: IncomingMessage, response: ServerResponse): number =>
  refuse({ request, response, fault, render: renderFormatA, requestId: "req_1" });

beforeAll(async () => {
  server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function arrive(
  headers: string,
): Promise<{ caller: Socket; request: IncomingMessage; response: ServerResponse }> {
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
  caller.on("error", () => undefined);
  const arrived = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  caller.write(`POST / HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`);
  const [request, response] = await arrived;
  return { caller, request, response };
}

async function firstAnswer(caller: Socket): Promise<string> {
  const [bytes] = (await once(caller, "data")) as [Buffer];
  return bytes.toString();
}

test("a refusal has status, ids and envelope, and keeps the connection for the next request [HDR-1] [HDR-2]", async () => {
  const { caller, request, response } = await arrive("content-length: 2");
  const answer = firstAnswer(caller);

  expect(refusal(request, response)).toBe(404);
  expect(await answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(await answer).toMatch(/x-request-id: req_1\r\nrequest-id: req_1\r\n/);
  expect(await answer).toContain("keep-alive");
  expect(JSON.parse((await answer).split("\r\n\r\n")[1] ?? "")).toMatchObject({ error: { code: "model_not_found" } });

  const again = once(server, "request");
  caller.write("{}GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await again;
  caller.destroy();
});

test.each(["content-length: 16385", "transfer-encoding: chunked"])(
  "with a large body still to come (%s) the connection is closed after the answer, and the body left unread",
  async (headers) => {
    const { caller, request, response } = await arrive(headers);
    const ended = once(caller, "end");
    const answer = firstAnswer(caller);
    refusal(request, response);

    expect(await answer).toMatch(/\r\nconnection: close\r\n/i);
    await ended;
    caller.destroy();
  },
);

test("after the answer has begun nothing can be refused any more: the connection is broken instead", async () => {
  const { caller, request, response } = await arrive("content-length: 0");
  const closed = once(caller, "close");
  response.writeHead(200);
  response.write("half");
  await once(caller, "data");

  expect(refusal(request, response)).toBe(404);
  await closed;
  expect(response.destroyed).toBe(true);
});
