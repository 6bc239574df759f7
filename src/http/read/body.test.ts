import { payerNamed } from "../../core/money/payer.ts";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fault } from "../../core/fault.ts";
import { createArrivals } from "./arrivals.ts";
import { createReadBody } from "./body.ts";
import { createPayerShares } from "./payer-shares.ts";
import type { Exchange } from "../public-route.ts";
import type { RequestContext } from "../request-context.ts";

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
let elapsedMs = 0;
const clock = { elapsedMs: () => elapsedMs };

type Arrived = Pick<Exchange, "request" | "response">;
type Terms = { maxBytes?: number; unfundedBytes?: number; budgetBytes?: number; funded?: boolean };

/** Reads bodies on the terms of a test; `context` is one of a key. */
function reader({ maxBytes = 100, unfundedBytes = 1_000, budgetBytes = 1_000, funded = true }: Terms = {}) {
  const arrivals = createArrivals({ clock, bytesPerSecond: 1_000, timeoutMs: 60_000 });
  const { makeRoom } = arrivals;
  const limits = {
    openRequests: 100,
    bodyBytes: maxBytes,
    bodyBudgetBytes: budgetBytes,
    keySharePercent: 50,
    makeRoom,
  };
  const shares = createPayerShares(limits);
  const asked: string[] = [];
  const requireFunds = async ({ id }: { id: string }): Promise<void> => {
    asked.push(id);
    if (!funded) throw new Fault("insufficient_credit", "none");
  };
  const readWithin = createReadBody({ unfundedBytes, requireFunds, arrivals });
  const read = async (call: Arrived & { context: RequestContext }): Promise<Buffer> =>
    readWithin({ ...call, route: { maxBodyBytes: maxBytes } });
  const contextOf = (id: string) =>
    ({ caller: { key: { id } }, share: shares.enter(payerNamed(id)) }) as unknown as RequestContext;
  return { read, contextOf, makeRoom, asked };
}

const readBody = (call: Arrived, maxBytes: number): Promise<Buffer> => {
  const { read, contextOf } = reader({ maxBytes, unfundedBytes: maxBytes, budgetBytes: maxBytes });
  return read({ ...call, context: contextOf("key") });
};

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

  await expect(readBody(call, 33_554_432)).rejects.toThrow("larger than the limit of 32 MiB");
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
  await expect(readBody(unwanted.call, 8)).rejects.toThrow("8 bytes");
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

  await expect(body).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(/^The request body is incomplete/),
  });
});

test.each([
  ["text/plain", "content-type: text/plain"],
  ["none", "x-nothing: 1"],
  ["compressed JSON", `${JSON_TYPE}\r\ncontent-encoding: br`],
])("a body of type %s is refused unread [BOD-10]", async (_name, headers) => {
  const { caller, call } = await arrive(`${headers}\r\ncontent-length: 2`);

  await expect(readBody(call, 100)).rejects.toThrow(/Send the (request )?body/);
  caller.destroy();
});

test.each(["identity", "Identity", "identity, identity", "identity ,IDENTITY", ""])(
  "a body that says nothing was done to it (%j) is read [BOD-10]",
  async (encoding) => {
    const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-encoding: ${encoding}\r\ncontent-length: 2`);
    caller.write("{}");

    expect((await readBody(call, 100)).toString()).toBe("{}");
    caller.destroy();
  },
);

test.each(["gzip", "identity, gzip", "identity;q=1", "identityx", "x-identity"])(
  "a body encoded as %j is refused unread [BOD-10]",
  async (encoding) => {
    const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-encoding: ${encoding}\r\ncontent-length: 2`);

    await expect(readBody(call, 100)).rejects.toThrow(/Compressed request bodies aren't supported/);
    caller.destroy();
  },
);

test("a caller that left before its body was asked for is refused, and not waited for for ever", async () => {
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-length: 8`);
  caller.write("1234");
  caller.destroy();
  await new Promise((resolve) => call.request.once("close", resolve));

  await expect(async () => readBody(call, 8)).rejects.toMatchObject({ code: "invalid_request" });
});

test("a large body is asked for only when its key has money, whether or not it says how large it is [LIM-11]", async () => {
  const { read, contextOf, asked } = reader({ unfundedBytes: 8, funded: false });
  const large = await arrive(`${JSON_TYPE}\r\ncontent-length: 9\r\nexpect: 100-continue`, "checkContinue");
  await expect(read({ ...large.call, context: contextOf("a") })).rejects.toMatchObject({ code: "insufficient_credit" });
  const growing = await arrive(`${JSON_TYPE}\r\ntransfer-encoding: chunked`);
  const grown = read({ ...growing.call, context: contextOf("b") });
  growing.caller.write("9\r\n123456789\r\n");
  await expect(grown).rejects.toMatchObject({ code: "insufficient_credit" });
  const small = await arrive(`${JSON_TYPE}\r\ncontent-length: 8`);
  const body = read({ ...small.call, context: contextOf("c") });
  small.caller.write("12345678");

  expect((await body).length).toBe(8);
  expect(asked).toEqual(["a", "b"]);
  expect(large.caller.bytesRead).toBe(0);
  for (const { caller } of [large, growing, small]) caller.destroy();
});

test("a body that grows beyond what a key without money may send goes on when there is money [LIM-11]", async () => {
  const { read, contextOf, asked } = reader({ unfundedBytes: 4 });
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ntransfer-encoding: chunked`);
  const body = read({ ...call, context: contextOf("a") });
  for (const piece of ["5\r\n12345\r\n", "3\r\n678\r\n", "0\r\n\r\n"]) caller.write(piece);

  expect((await body).toString()).toBe("12345678");
  expect(asked).toEqual(["a"]);
  caller.destroy();
});

test("bodies of one key have a share of the memory, and all together have no more than there is [LIM-9]", async () => {
  const { read, contextOf } = reader({ budgetBytes: 180 });
  const begin = async (key: string, length: number) => {
    const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-length: ${length}`);
    const body = read({ ...call, context: contextOf(key) });
    caller.write("x".repeat(length - 1));
    await Promise.race([once(call.request, "data"), body.catch(() => undefined)]);
    return { caller, body };
  };
  const first = await begin("a", 90);
  const second = await begin("b", 90);

  await expect((await begin("a", 20)).body).rejects.toMatchObject({
    code: "rate_limit_exceeded",
    retryAfterSeconds: 1,
  });
  await expect((await begin("c", 20)).body).rejects.toMatchObject({ code: "service_unavailable" });
  first.caller.destroy();
  await expect(first.body).rejects.toThrow("incomplete");
  const third = await begin("c", 20);
  third.caller.write("x");
  expect((await third.body).length).toBe(20);
  for (const { caller } of [second, third]) caller.destroy();
});

test("where room is short, the body that has taken longest gives way [LIM-10]", async () => {
  const { read, contextOf, makeRoom } = reader({ budgetBytes: 100 });
  const { caller, call } = await arrive(`${JSON_TYPE}\r\ncontent-length: 90`);
  const slow = read({ ...call, context: contextOf("a") });
  slow.catch(() => undefined);
  caller.write("x".repeat(80));
  await once(call.request, "data");
  expect(makeRoom()).toBe(false);
  elapsedMs += 2_000;
  const other = await arrive(`${JSON_TYPE}\r\ncontent-length: 60`);
  const body = read({ ...other.call, context: contextOf("b") });
  other.caller.write("x".repeat(60));

  expect((await body).length).toBe(60);
  await expect(slow).rejects.toMatchObject({ code: "service_unavailable" });
  expect(call.response.shouldKeepAlive).toBe(false);
  for (const each of [caller, other.caller]) each.destroy();
});
