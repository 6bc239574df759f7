import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { openStream, readAll } from "../open-stream.ts";
import { type IssuedKey, issueKey } from "../operator.ts";
import { ask, CHAT, COUNT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";

/** A request of which only a part is sent. */
type Started = { socket: Socket; answer: () => string; closed: Promise<unknown> };

const started: Started[] = [];
afterEach(() => {
  for (const { socket } of started.splice(0)) socket.destroy();
});

type Part = {
  operation?: Operation;
  origin?: string;
  headers?: string[];
  length?: number | null;
  sent?: string | Buffer;
};

/** Sends the headers of a request and as much of its body as the test says. */
async function start(
  gateway: GatewayProcess,
  { secret }: Pick<IssuedKey, "secret">,
  part: Part = {},
): Promise<Started> {
  const { operation = CHAT, origin = "", headers = [], length = 1_000, sent = "{" } = part;
  const { hostname, port } = new URL(gateway.publicUrl);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
  const framing = length === null ? "transfer-encoding: chunked" : `content-length: ${length}`;
  const head = [
    `POST ${origin}${operation.path} HTTP/1.1`,
    "host: gateway",
    `authorization: Bearer ${secret}`,
    framing,
  ];
  socket.write([...head, "content-type: application/json", ...headers, "", ""].join("\r\n"));
  socket.write(sent);
  await once(socket, "connect");
  // Not `once`, which fails where the connection is reset.
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  const request = { socket, answer: () => text, closed };
  started.push(request);
  return request;
}

const answered = ({ answer }: Started): Promise<void> => until(() => answer() !== "", "an answer");

const startMany = (count: number, gateway: GatewayProcess, key: IssuedKey, part?: Part): Promise<Started[]> =>
  Promise.all(Array.from({ length: count }, () => start(gateway, key, part)));

describe("a process that gives a body two seconds", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: { plain: modelFor(CHAT, "sim") },
      settings: { TOLLGATE_LIMITS_HEADERS_TIMEOUT_MS: "1000", TOLLGATE_LIMITS_BODY_TIMEOUT_MS: "2000" },
    });
  });
  afterAll(() => gateway.stop());

  test.each<[string, Operation, RegExp]>([
    ["chat completions", CHAT, /^\{"error":\{"message":.*"code":"invalid_request"/],
    ["responses", RESPONSES, /^\{"error":\{"message":.*"code":"invalid_request"/],
    ["messages", MESSAGE, /^\{"type":"error","error":\{"type":"invalid_request_error"/],
    ["count_tokens", COUNT, /^\{"type":"error","error":\{"type":"invalid_request_error"/],
  ])(
    "a steady body to %s that takes longer gets 400 in its format, never 408 [LIM-10]",
    async (_name, operation, envelope) => {
      const slow = await start(gateway, { secret: gateway.keys.credit }, { operation, length: 1_000_000 });
      const sending = setInterval(() => slow.socket.write("x".repeat(5_000)), 100);
      await answered(slow);
      clearInterval(sending);

      const [head = "", body = ""] = slow.answer().split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(body).toMatch(envelope);
      expect(body).toContain("took longer than 2 seconds to arrive");
      await slow.closed;
    },
  );
});

describe("a process with room for forty requests", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: { plain: modelFor(CHAT, "sim") },
      settings: { TOLLGATE_LIMITS_OPEN_REQUESTS: "40" },
    });
  });
  afterAll(() => gateway.stop());

  test("one key holds a quarter of the requests in progress at most, and is told to try again [LIM-8] [HDR-13]", async () => {
    const slow = await issueKey(gateway);
    const requests = await startMany(35, gateway, slow);
    await until(
      () => requests.filter(({ answer }) => answer() !== "").length === 25,
      "those over the share are refused",
    );

    for (const { answer } of requests.filter((request) => request.answer() !== "")) {
      expect(answer()).toMatch(/^HTTP\/1\.1 429 /);
      expect(answer()).toMatch(/retry-after: 1\r\n/i);
      expect(answer()).toMatch(/x-should-retry: true\r\n/i);
      expect(answer()).toContain('"rate_limit_exceeded"');
      expect(answer()).toContain("10 requests");
    }
    expect((await ask(CHAT, { gateway })).status).toBe(200);
  });

  test("a body that does not arrive gives its place back [LIM-10]", async () => {
    const slow = await start(gateway, { secret: gateway.keys.credit });
    await answered(slow);

    expect(slow.answer()).toMatch(/^HTTP\/1\.1 400 /);
    expect(slow.answer()).toContain("arrived too slowly");
    await slow.closed;
  });

  test.each<[string, Operation, number, string]>([
    ["chat completions", CHAT, 402, "insufficient_credit"],
    ["responses", RESPONSES, 402, "insufficient_credit"],
    ["messages", MESSAGE, 402, "insufficient_credit"],
    ["count_tokens", COUNT, 400, "invalid_request"],
  ])(
    "without credit a large body to %s is refused before it is read [LIM-11]",
    async (_name, operation, status, code) => {
      const poor = await issueKey(gateway);
      const announced = await start(gateway, poor, { operation, length: 33_000_000, sent: "" });
      await answered(announced);
      const asking = await start(gateway, poor, {
        operation,
        length: 70_000,
        sent: "",
        headers: ["expect: 100-continue"],
      });
      await answered(asking);
      const chunk = Buffer.alloc(70_000, 0x20);
      const sent = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
      const growing = await start(gateway, poor, { operation, length: null, sent });
      await answered(growing);

      for (const { answer } of [announced, asking, growing]) {
        expect(answer()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(answer()).toContain(code);
        expect(answer()).toContain("65,536");
      }
    },
  );

  test("a token key whose budget is used up sends small bodies only [LIM-11]", async () => {
    const poor = await issueKey(gateway, { mode: "token_budget" });
    const large = await start(gateway, poor, { origin: "/token", length: 33_000_000, sent: "" });
    await answered(large);

    expect(large.answer()).toMatch(/^HTTP\/1\.1 429 /);
    expect(large.answer()).toContain("limit_reached");
  });

  test("a key with credit sends large bodies, and one that was topped up does so a second later at most [LIM-11]", async () => {
    const content = "word ".repeat(20_000);
    const fields = { messages: [{ role: "user", content }], max_tokens: 1 };
    const key = await issueKey(gateway);
    expect((await ask(CHAT, { gateway, key: key.secret, fields })).status).toBe(402);
    const { code } = await gateway.tollgate("topup", key.id, "5");

    expect(code).toBe(0);
    // That it had none is remembered for a second.
    const taken = async (): Promise<boolean> => (await ask(CHAT, { gateway, key: key.secret, fields })).status === 200;
    await until(taken, "a large body of the key is taken");
  });
});

describe("a process with room for three bodies", () => {
  const BODY_BYTES = 65_536;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: { plain: modelFor(CHAT, "sim"), waiting: modelFor(CHAT, "sim+tokens=4+pause=2") },
      settings: {
        TOLLGATE_LIMITS_BODY_BYTES: String(BODY_BYTES),
        TOLLGATE_LIMITS_BODY_BUDGET_BYTES: String(3 * BODY_BYTES),
        TOLLGATE_LIMITS_OPEN_REQUESTS: "12",
        // A slow body is cut for a request that needs its place, and for nothing else.
        TOLLGATE_LIMITS_BODY_BYTES_PER_SECOND: "0",
      },
    });
  });
  afterAll(() => gateway.stop());

  test("bodies of requests in progress take up no more than the budget, and no more than its share for one key [LIM-9]", async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => issueKey(gateway, { credit: "5" })));
    const [first, second, third, fourth] = keys as [IssuedKey, IssuedKey, IssuedKey, IssuedKey];
    const large = { messages: [{ role: "user", content: "word ".repeat(12_900) }], max_tokens: 9 };
    const open = [first, second, third].map(({ secret: key }) =>
      openStream(CHAT, { gateway, key, fields: { model: "waiting", ...large } }),
    );
    for (const stream of await Promise.all(open)) await once(stream, "readable");
    const again = await ask(CHAT, { gateway, key: first.secret, fields: large });
    const other = await ask(CHAT, { gateway, key: fourth.secret, fields: large });

    expect(again.status).toBe(429);
    expect(again.text).toContain("65,536 bytes");
    expect(other.status).toBe(503);
    expect(Number(other.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(other.text).toContain("196,608 bytes");
    await gateway.release();
    for (const stream of await Promise.all(open)) await readAll(stream);
    expect((await ask(CHAT, { gateway, key: fourth.secret, fields: large })).status).toBe(200);
  });

  test("slow bodies of many keys give way to a request that is there [LIM-10]", async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => issueKey(gateway, { credit: "5" })));
    for (const key of keys) await startMany(3, gateway, key);
    await until(async () => (await ask(CHAT, { gateway })).status === 200, "a place is free");
  });
});
