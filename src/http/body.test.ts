import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBody } from "./body.ts";

let server: Server;
beforeAll(async () => {
  server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A real request whose bytes the test sends one by one. */
async function arrive(headers: string, event: "request" | "checkContinue" = "request") {
  const caller: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  caller.on("error", () => undefined);
  const arrived = once(server, event) as Promise<[IncomingMessage, ServerResponse]>;
  caller.write(`POST / HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`);
  const [request, response] = await arrived;
  return { caller, call: { request, response } };
}
const JSON_TYPE = "content-type: application/json";

test("a body is handed over byte for byte, however it arrives [BOD-10]", async () => {
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ntransfer-encoding: chunked`);
  const body = readBody(call, 100);
  for (const piece of ['3\r\n{"a\r\n', '4\r\n":1}\r\n', "0\r\n\r\n"]) caller.write(piece);

  expect((await body).toString()).toBe('{"a":1}');
  caller.destroy();
});

test("an announced length over the limit is refused before any of it is read, and the limit is told [BOD-8]", async () => {
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-length: 33554433`);

  expect(() => void readBody(call, 33_554_432)).toThrow("larger than 32 MiB");
  expect(call.request.listenerCount("data")).toBe(0);
  caller.destroy();
});

test("the limit itself is allowed", async () => {
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-length: 8`);
  const body = readBody(call, 8);
  caller.write("12345678");

  expect((await body).length).toBe(8);
  caller.destroy();
});

test("a body that hides its length is refused as soon as it passes the limit [BOD-8]", async () => {
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ntransfer-encoding: chunked`);
  const body = readBody(call, 8);
  caller.write("9\r\n123456789\r\n");

  await expect(body).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("8 bytes") as string,
  });
  caller.destroy();
});

test("a caller that asks first is told to go on only when its body is wanted", async () => {
  const wanted = await arrive(`${JSON_TYPE}\r\ncontent-length: 2\r\nexpect: 100-continue`, "checkContinue");
  const body = readBody(wanted.call, 8);
  const [answer] = (await once(wanted.caller, "data")) as [Buffer];
  expect(answer.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  wanted.caller.write("{}");
  expect((await body).toString()).toBe("{}");
  wanted.caller.destroy();

  const unwanted = await arrive(`${JSON_TYPE}\r\ncontent-length: 9\r\nexpect: 100-continue`, "checkContinue");
  expect(() => void readBody(unwanted.call, 8)).toThrow("8 bytes");
  unwanted.call.response.end();
  const [refusal] = (await once(unwanted.caller, "data")) as [Buffer];
  expect(refusal.toString()).toMatch(/^HTTP\/1\.1 200/);
  unwanted.caller.destroy();
});

test("a caller that leaves within its body has broken off", async () => {
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-length: 100`);
  const body = readBody(call, 1_000);
  caller.write("{");
  caller.destroy();

  await expect(body).rejects.toMatchObject({ code: "invalid_request", message: "The request body broke off." });
});

test.each([
  ["text/plain", "content-type: text/plain"],
  ["none", "x-nothing: 1"],
  ["compressed JSON", `${JSON_TYPE}\r\ncontent-encoding: br`],
])("a body of type %s is refused unread [BOD-10]", async (_name, headers) => {
  const { caller, call } = await arrive(`${headers}\r\ncontent-length: 2`);

  expect(() => void readBody(call, 100)).toThrow(/Send the body/);
  caller.destroy();
});

test("a caller that left before its body was asked for is refused, and not waited for for ever", async () => {
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-length: 8`);
  caller.write("1234");
  caller.destroy();
  await new Promise((resolve) => call.request.once("close", resolve));

  await expect(async () => readBody(call, 8)).rejects.toMatchObject({ code: "invalid_request" });
});
