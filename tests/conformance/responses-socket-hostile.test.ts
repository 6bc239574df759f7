import { connect } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chargesOf, issueKey } from "../contract/operator.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { frame, handshake, openRawSocket, OPCODES, type RawSocket } from "../support/raw-socket.ts";
import { create, HandshakeRefused, openSocket, type SocketClient } from "../support/socket-client.ts";
import { until } from "../support/until.ts";

const BODY_BYTES = 262_144;
const ON = { TOLLGATE_WEBSOCKET_ENABLED: "on" };
const MODELS = {
  quick: { upstream: "sim+tokens=20", dialect: "responses" },
  paced: { upstream: "sim+tokens=40+rate=20", dialect: "responses" },
  flood: { upstream: "sim+tokens=200000", dialect: "responses", maxOutputTokens: 250_000, contextWindow: 1_000_000 },
} as const;

const TEXT = JSON.stringify(create("quick"));
const refusedWith = (promise: Promise<SocketClient>): Promise<unknown> =>
  promise.then(
    ({ ws }) => (ws.close(), 101),
    (error: unknown) => (error instanceof HandshakeRefused ? error.status : error),
  );

describe("a WebSocket and a hostile client", () => {
  let gateway: GatewayProcess;
  let key: { id: string; secret: string };
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: MODELS,
      settings: {
        ...ON,
        TOLLGATE_LIMITS_BODY_BYTES: `${BODY_BYTES}`,
        TOLLGATE_LIMITS_CLIENT_BUFFER_BYTES: "65536",
        TOLLGATE_LIMITS_CLIENT_STALL_MS: "1000",
      },
    });
    key = await issueKey(gateway, { credit: "10" });
  });
  afterAll(() => gateway.stop());

  const raw = (): Promise<RawSocket> => openRawSocket(gateway.publicUrl, key.secret);

  test("a message in fragments of one byte, with pings in between, is one message [WSK-2]", async () => {
    const socket = await raw();
    const bytes = Buffer.from(TEXT);
    for (const [at, byte] of bytes.entries()) {
      const opcode = at === 0 ? OPCODES.text : OPCODES.continuation;
      socket.write(frame({ opcode, final: at === bytes.length - 1, payload: Buffer.from([byte]) }));
      if (at % 10 === 0) socket.write(frame({ opcode: OPCODES.ping, payload: "here" }));
    }
    await until(() => socket.received().includes("response.completed"), "it is answered");
    socket.socket.destroy();
  });

  const half = frame({ opcode: OPCODES.text, final: false, payload: "{" });
  test.each([
    ["a binary message", [frame({ opcode: OPCODES.binary, payload: TEXT })], 1003],
    ["text that is not UTF-8", [frame({ opcode: OPCODES.text, payload: Buffer.from([0xff, 0xfe]) })], 1007],
    ["a frame without a mask", [frame({ opcode: OPCODES.text, masked: false, payload: TEXT })], 1002],
    ["an unknown opcode", [frame({ opcode: 5, payload: TEXT })], 1002],
    ["a fragment of nothing", [frame({ opcode: OPCODES.continuation, payload: "x" })], 1002],
    ["a fragmented ping", [frame({ opcode: OPCODES.ping, final: false })], 1002],
    ["two messages at once", [half, frame({ opcode: OPCODES.text, payload: TEXT })], 1002],
    ["a message above the limit", [frame({ opcode: OPCODES.text, payload: Buffer.alloc(BODY_BYTES + 1, 32) })], 1009],
    ["more pings than anybody needs", Array<Buffer>(400).fill(frame({ opcode: OPCODES.ping, payload: "!" })), 1008],
    ["more messages than may wait", Array<Buffer>(20).fill(frame({ opcode: OPCODES.text, payload: TEXT })), 1008],
  ])("%s closes the socket with a code [WSK-8, WSK-9]", async (_what, frames, code) => {
    const socket = await raw();
    socket.write(...frames);

    expect(await socket.closeCode()).toBe(code);
    socket.socket.destroy();
  });

  test("a message that stops arriving is refused, and its socket closed", async () => {
    const socket = await raw();
    socket.write(frame({ opcode: OPCODES.text, payload: TEXT }).subarray(0, 40));

    expect(await socket.closeCode()).toBe(1008);
    expect(socket.received().toString()).toContain("arrived too slowly");
    socket.socket.destroy();
  });

  test("a key without money sends small messages only", async () => {
    const poor = await issueKey(gateway, { credit: "0" });
    const socket = await openSocket({ url: gateway.publicUrl, key: poor.secret });
    socket.send(create("quick", { instructions: "x".repeat(200_000) }));

    expect(await socket.next()).toMatchObject({ type: "error", status: 402, error: { code: "insufficient_credit" } });
    expect((await socket.closed).code).toBe(1008);
  });

  test("a client that reads nothing pauses the provider, is cut, and pays for what was sent [WSK-13]", async () => {
    const own = await issueKey(gateway, { credit: "10" });
    const socket = await openRawSocket(gateway.publicUrl, own.secret);
    socket.socket.pause();
    socket.write(frame({ opcode: OPCODES.text, payload: JSON.stringify(create("flood")) }));
    await until(async () => (await chargesOf(gateway, own)).length === 1, "it is charged");
    const [charge] = await chargesOf(gateway, own);
    socket.socket.destroy();

    expect(charge).toMatchObject({ kind: "client_gone" });
    expect(Number(charge?.output_tokens)).toBeLessThan(150_000);
  });

  test("a client that says goodbye in the middle of a response, and stays, has cancelled it [WSK-6]", async () => {
    const own = await issueKey(gateway, { credit: "10" });
    const socket = await openRawSocket(gateway.publicUrl, own.secret);
    socket.write(frame({ opcode: OPCODES.text, payload: JSON.stringify(create("paced")) }));
    await until(() => socket.received().includes("response.output_text.delta"), "it begins");
    socket.write(frame({ opcode: OPCODES.close, payload: Buffer.from([0x03, 0xe8]) }));
    await until(async () => (await chargesOf(gateway, own)).length === 1, "it is charged");
    socket.socket.destroy();

    expect(await chargesOf(gateway, own)).toMatchObject([{ kind: "client_gone" }]);
  });

  test.each([
    ["an Idempotency-Key", { "idempotency-key": "once" }],
    ["a protocol that is none", { "sec-websocket-protocol": "a,,b" }],
  ])("a handshake with %s gets 400 [WSK-10]", async (_what, headers) => {
    expect(await refusedWith(openSocket({ url: gateway.publicUrl, key: key.secret, headers }))).toBe(400);
  });

  test("a handshake of another version gets 400 [WSK-10]", async () => {
    const { hostname, port } = new URL(gateway.publicUrl);
    const socket = connect(Number(port), hostname);
    socket.write(handshake(key.secret).replace("version: 13", "version: 7"));
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
    await once(socket, "close");

    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain("Sec-WebSocket-Version: The version must be 13.");
  });

  test("a handshake behind a request that is not answered yet closes the connection", async () => {
    const { hostname, port } = new URL(gateway.publicUrl);
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify({ model: "paced", input: "Hello" });
    const head = ["POST /v1/responses HTTP/1.1", "host: gateway", `authorization: Bearer ${key.secret}`];
    const more = ["content-type: application/json", `content-length: ${body.length}`, "", body];
    socket.write([...head, ...more].join("\r\n") + handshake(key.secret));
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
    await once(socket, "close");

    expect(text).not.toContain(" 101 ");
  });

  test("everything that was charged agrees with the journal", async () => {
    expect((await gateway.tollgate("ledger", "verify")).code).toBe(0);
  });
});

describe("limits of WebSockets", () => {
  test("a key and a process have so many, and each closes in its time [WSK-10, WSK-12]", async () => {
    const gateway = await startGatewayProcess({
      models: MODELS,
      settings: {
        ...ON,
        TOLLGATE_WEBSOCKET_SOCKETS: "6",
        TOLLGATE_WEBSOCKET_IDLE_MS: "4000",
        TOLLGATE_WEBSOCKET_LIFETIME_MS: "12000",
        TOLLGATE_WEBSOCKET_CONVERSATION_BYTES: "1",
      },
    });
    const [one, two] = [await issueKey(gateway, { credit: "1" }), await issueKey(gateway, { credit: "1" })];
    const open = ({ secret }: { secret: string }) => openSocket({ url: gateway.publicUrl, key: secret });
    const sockets = [await open(one), await open(one), await open(one), await open(one)];
    const overKey = await refusedWith(open(one));
    sockets.push(await open(two), await open(two));
    const overProcess = await refusedWith(open(two));
    const [first, ...idle] = sockets as [SocketClient, ...SocketClient[]];
    first.send(create("quick"));
    const last = (await first.response()).at(-1) as unknown as { response: { id: string } };
    const { id } = last.response;
    first.send(create("quick", { previous_response_id: id }));
    const forgotten = await first.next();
    const used = (async () => {
      const kinds: unknown[] = [];
      for (;;) {
        first.send(create("quick"));
        const last = (await first.response()).at(-1);
        if (last?.type === "error") kinds.push((last["error"] as { code: string }).code);
        if (kinds.length > 0) return kinds;
        await sleep(500);
      }
    })();

    expect([overKey, overProcess]).toEqual([429, 503]);
    expect(forgotten).toMatchObject({ type: "error", error: { code: "previous_response_not_found" } });
    for (const { closed } of idle) expect((await closed).code).toBe(1000);
    expect(await used).toEqual(["websocket_connection_limit_reached"]);
    expect((await first.closed).code).toBe(1000);
    expect(await refusedWith(open(two))).toBe(101);
    await gateway.stop();
  });

  test("a gateway that stops closes idle sockets at once, and the others after their response [WSK-11]", async () => {
    const gateway = await startGatewayProcess({ models: MODELS, settings: ON });
    const key = await issueKey(gateway, { credit: "1" });
    const open = () => openSocket({ url: gateway.publicUrl, key: key.secret });
    const [busy, idle] = [await open(), await open()];
    busy.send(create("paced"));
    while ((await busy.next()).type !== "response.output_text.delta");
    const stopped = gateway.stop();

    expect((await idle.closed).code).toBe(1012);
    expect((await busy.response()).at(-1)?.type).toBe("response.completed");
    expect((await busy.closed).code).toBe(1012);
    expect(await stopped).toBe(0);
  });

  test("while they are off, a handshake gets 426 at both origins, and every other request is served as ever [WSK-1]", async () => {
    const gateway = await startGatewayProcess({ models: MODELS });
    const { credit: key } = gateway.keys;
    const refused: unknown[] = [];
    for (const path of ["/v1/responses", "/token/v1/responses"]) {
      const error = await openSocket({ url: gateway.publicUrl, key, path }).catch((thrown: unknown) => thrown);
      if (error instanceof HandshakeRefused)
        refused.push([error.status, error.headers.upgrade, JSON.parse(error.body).error.code]);
    }
    const list = await openSocket({ url: gateway.publicUrl, key, path: "/v1/models" }).catch(
      (thrown: unknown) => thrown,
    );
    const plain = await fetch(`${gateway.publicUrl}/v1/responses`);
    await gateway.stop();

    expect(refused).toEqual([
      [426, "websocket", "upgrade_required"],
      [426, "websocket", "upgrade_required"],
    ]);
    expect(list).toMatchObject({ status: 200 });
    expect(plain.status).toBe(405);
  });
});
