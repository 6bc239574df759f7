import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chargesOf, issueKey, operate } from "../contract/operator.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { childEnvironment } from "../support/child-environment.ts";
import { requestsDuring } from "../support/request-log.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { create, HandshakeRefused, openSocket, type SocketEvent } from "../support/socket-client.ts";
import { until } from "../support/until.ts";

const MODELS = {
  quick: { upstream: "sim+tokens=20", dialect: "responses" },
  crossed: { upstream: "sim+tokens=20", spoken: "chat" },
  roomy: { upstream: "sim+tokens=20", dialect: "responses", contextWindow: 1_000_000 },
  thinks: { upstream: "sim+thinking=3+tokens=20", dialect: "responses" },
  long: { upstream: "sim+tokens=100000+rate=50", dialect: "responses" },
} as const;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: MODELS, settings: { TOLLGATE_WEBSOCKET_ENABLED: "on" } });
});
afterAll(() => gateway.stop());

const connect = (key: string, options: { path?: string; headers?: Record<string, string> } = {}) =>
  openSocket({ url: gateway.publicUrl, key, ...options });

const refusalOf = (promise: Promise<unknown>): Promise<HandshakeRefused> =>
  promise.then(
    () => Promise.reject(new Error("the handshake succeeded")),
    (error: unknown) => (error instanceof HandshakeRefused ? error : Promise.reject(error as Error)),
  );

const textOf = (events: readonly SocketEvent[]): string =>
  events.map(({ type, delta }) => (type === "response.output_text.delta" ? String(delta) : "")).join("");

const idOf = (events: readonly SocketEvent[]): string =>
  (events.at(-1)?.["response"] as { id: string } | undefined)?.id ?? "";

test("`tollgate connect codex` finds out that WebSockets are accepted, and leaves none open", async () => {
  const home = mkdtempSync(join(tmpdir(), "tollgate-home-"));
  const { secret } = await issueKey(gateway, { credit: "1" });
  const env = { ...childEnvironment(), HOME: home, TOLLGATE_KEY: secret };
  const words = ["connect", "codex", "--model", "quick", "--url", gateway.publicUrl];
  const asked = await runTollgate([...words, "--check"], { cwd: home, env });
  const unasked = await runTollgate(words, { cwd: home, env });
  const refused = await runTollgate([...words, "--check"], { cwd: home, env: { ...env, TOLLGATE_KEY: `${secret}x` } });
  rmSync(home, { recursive: true });

  expect(asked.stdout).toContain('wire_api = "responses"\nsupports_websockets = true\n');
  expect(unasked.stdout).not.toContain("supports_websockets");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  await until(async () => /^tollgate_open_websockets\S* 0$/m.test(await gateway.metrics()), "the socket is closed");
});

describe("responses over a WebSocket", () => {
  test.each(["quick", "crossed"])(
    "a response of %s is the stream of HTTP, event by event, and is charged once [WSK-2]",
    async (model) => {
      const key = await issueKey(gateway, { credit: "1" });
      const socket = await connect(key.secret);
      const { result: events, requests } = await requestsDuring(gateway, async () => {
        socket.send(create(model));
        return socket.response();
      });
      socket.ws.close();

      expect(events.map(({ type }) => type)).toEqual(
        expect.arrayContaining(["response.created", "response.output_item.done", "response.completed"]),
      );
      expect(textOf(events).length).toBeGreaterThan(20);
      const [charge, ...more] = await chargesOf(gateway, key);
      expect(more).toEqual([]);
      expect(charge).toMatchObject({ kind: "completed" });
      const { response } = events.at(-1) as unknown as { response: { usage: { output_tokens: number } } };
      const { usage } = response;
      expect(charge?.output_tokens).toBe(usage.output_tokens);
      expect(requests).toMatchObject([
        { route: "responses", status: 200, streamed: true, outcome: "completed", output_tokens: usage.output_tokens },
      ]);
    },
  );

  test("one socket serves one response after another, also when they are asked for at once [WSK-8]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const socket = await connect(key.secret);
    socket.send(create("quick"));
    socket.send(create("quick"));
    const [first, second] = [await socket.response(), await socket.response()];
    socket.ws.close();

    expect(first.at(-1)?.type).toBe("response.completed");
    expect(second.at(-1)?.type).toBe("response.completed");
    const names = [...first, ...second].map(({ type }) => type).filter((type) => type === "response.created");
    expect(first[0]?.type).toBe("response.created");
    expect(names).toHaveLength(2);
    expect(await chargesOf(gateway, key)).toHaveLength(2);
  });

  test("the next message of a conversation takes the thoughts of the one before along, encrypted [WSK-4] [BOD-44]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const socket = await connect(key.secret);
    socket.send(create("thinks"));
    const first = await socket.response();
    socket.send(create("thinks", { previous_response_id: idOf(first) }));
    const second = await socket.response();
    socket.ws.close();
    const body = (await gateway.witness()).at(-1)?.body as { input: Record<string, unknown>[] } | undefined;

    expect(second.at(-1)?.type).toBe("response.completed");
    expect(body?.input.find(({ type }) => type === "reasoning")).toMatchObject({
      encrypted_content: expect.any(String) as string,
    });
  });

  test("thoughts by their name alone are left out of a message as of a request [BOD-45]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const socket = await connect(key.secret);
    const input = [
      { type: "reasoning", id: "rs_gone", summary: [] },
      { role: "user", content: "Hello" },
    ];
    socket.send(create("thinks", { input }));
    const events = await socket.response();
    socket.ws.close();

    expect(events.at(-1)?.type).toBe("response.completed");
    expect(JSON.stringify((await gateway.witness()).at(-1)?.body)).not.toContain("rs_gone");
  });

  test("a warm-up is answered without a charge, and the next message goes on from it and from its response [WSK-3, WSK-4]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const socket = await connect(key.secret);
    socket.send(create("quick", { generate: false }));
    const warm = await socket.response();
    expect(warm.map(({ type }) => type)).toEqual(["response.created", "response.completed"]);
    expect(await chargesOf(gateway, key)).toEqual([]);

    socket.send({ type: "response.create", model: "quick", previous_response_id: idOf(warm), input: [] });
    const first = await socket.response();
    socket.send(create("quick", { previous_response_id: idOf(first) }));
    const second = await socket.response();
    socket.ws.close();

    expect([first, second].map((events) => events.at(-1)?.type)).toEqual(["response.completed", "response.completed"]);
    const calls = (await gateway.witness()).filter(({ model }) => model === MODELS.quick.upstream).slice(-2);
    const inputs = calls.map(({ body }) => (body as { input: { role: string }[] }).input.map(({ role }) => role));
    expect(inputs).toEqual([["user"], ["user", "assistant", "user"]]);
    const [later, earlier] = await chargesOf(gateway, key);
    expect(Number(later?.input_tokens)).toBeGreaterThan(Number(earlier?.input_tokens));
  });

  test("a previous_response_id of another socket is refused in the words that make Codex send everything [WSK-4]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const [one, other] = [await connect(key.secret), await connect(key.secret)];
    one.send(create("quick"));
    const id = idOf(await one.response());
    other.send(create("quick", { previous_response_id: id }));
    const [refused] = await other.response();
    other.send(create("quick"));
    const whole = await other.response();
    for (const { ws } of [one, other]) ws.close();

    expect(refused).toMatchObject({
      type: "error",
      status: 400,
      error: { code: "previous_response_not_found", param: "previous_response_id" },
    });
    expect(whole.at(-1)?.type).toBe("response.completed");
  });

  test("a socket that is cut in the middle of a response is charged as a cancelled stream [WSK-6]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const socket = await connect(key.secret);
    socket.send(create("long"));
    while ((await socket.next()).type !== "response.output_text.delta");
    socket.ws.terminate();
    await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");
    const [charge] = await chargesOf(gateway, key);

    expect(charge).toMatchObject({ kind: "client_gone" });
    expect(Number(charge?.output_tokens)).toBeGreaterThan(0);
    expect(Number(charge?.output_tokens)).toBeLessThan(10_000);
    expect((await gateway.tollgate("ledger", "verify")).code).toBe(0);
  });

  test("a key that is revoked ends its response and its socket, and an idle socket of it too [WSK-7]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const [busy, idle] = [await connect(key.secret), await connect(key.secret)];
    busy.send(create("long"));
    while ((await busy.next()).type !== "response.output_text.delta");
    await operate(gateway, `POST /keys/${key.id}/revoke`);
    const events = await busy.response();

    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { error: { code: "invalid_credentials" } },
    });
    expect((await busy.closed).code).toBe(1008);
    expect((await idle.closed).code).toBe(1008);
  });

  test("the socket of the OpenAI SDK gets its responses, and goes on with them [WSK-2, WSK-4]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const client = new OpenAI({ apiKey: key.secret, baseURL: `${gateway.publicUrl}/v1` });
    const socket = new ResponsesWS(client);
    const ids: string[] = [];
    const errors: unknown[] = [];
    socket.on("error", (error) => errors.push(error));
    for (const input of ["Hello", "And again"]) {
      const completed = new Promise<string>((resolve) =>
        socket.once("response.completed", ({ response }) => resolve(response.id)),
      );
      const previous = ids.at(-1);
      socket.send({
        type: "response.create",
        model: "quick",
        input,
        ...(previous !== undefined && { previous_response_id: previous }),
      });
      ids.push(await completed);
    }
    socket.close();

    expect(errors).toEqual([]);
    expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "completed" }, { kind: "completed" }]);
  });

  test("a large message is read beside the others, and goes on as well [WSK-4]", async () => {
    const key = await issueKey(gateway, { credit: "10" });
    const socket = await connect(key.secret);
    const content = [{ type: "input_text", text: "word ".repeat(40_000) }];
    socket.send(create("roomy", { input: [{ type: "message", role: "user", content }] }));
    const first = await socket.response();
    socket.send(create("roomy", { previous_response_id: idOf(first) }));
    const second = await socket.response();
    socket.ws.close();

    expect([first, second].map((events) => events.at(-1)?.type)).toEqual(["response.completed", "response.completed"]);
    const charges = await chargesOf(gateway, key);
    expect(charges.map(({ input_tokens: tokens }) => Number(tokens) > 30_000)).toEqual([true, true]);
  });

  test("an operator sees a response of a socket in flight as a stream [WSK-2]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const socket = await connect(key.secret);
    socket.send(create("long"));
    while ((await socket.next()).type !== "response.output_text.delta");
    type Live = { data: { key_id: string; streamed: boolean; model: string }[] };
    let seen: Live["data"] = [];
    await until(async () => {
      const { data } = await operate<Live>(gateway, "GET /live");
      seen = data.filter(({ key_id: id }) => id === key.id);
      return seen.length === 1;
    }, "it is shown");
    const metrics = await gateway.metrics();
    socket.ws.terminate();

    expect(seen).toMatchObject([{ streamed: true, model: "long" }]);
    expect(metrics).toMatch(/^tollgate_open_websockets [1-9]/m);
    expect(metrics).toMatch(/^tollgate_open_streams [1-9]/m);
  });
});

describe("what a WebSocket refuses", () => {
  test("a handshake without a key, with an unknown one and at the other origin is refused with a status of HTTP [WSK-10]", async () => {
    const key = await issueKey(gateway, { mode: "token_budget", budget: 1_000_000 });
    const refused = [
      await refusalOf(openSocket({ url: gateway.publicUrl })),
      await refusalOf(connect("tg_unknown")),
      await refusalOf(connect(key.secret)),
    ];

    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401]);
    for (const { body, headers } of refused) {
      expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_credentials" } });
      expect(headers["x-request-id"]).toMatch(/^req_/);
    }
    const budget = await connect(key.secret, { path: "/token/v1/responses" });
    budget.send(create("quick"));
    expect((await budget.response()).at(-1)?.type).toBe("response.completed");
    budget.ws.close();
  });

  test.each([
    ["text that is no JSON", "{", "invalid_request", null],
    ["an empty message", "", "invalid_request", null],
    ["another type", JSON.stringify({ type: "response.cancel" }), "invalid_request", "type"],
    ["a lane", JSON.stringify(create("quick", { stream_id: "a" })), "invalid_request", "stream_id"],
    [
      "a warm-up that is no boolean",
      JSON.stringify(create("quick", { generate: "no" })),
      "invalid_request",
      "generate",
    ],
    ["a background response", JSON.stringify(create("quick", { background: true })), "invalid_request", "background"],
    ["an unknown model", JSON.stringify(create("nothing")), "model_not_found", "model"],
    ["no input", JSON.stringify({ type: "response.create", model: "quick" }), "invalid_request", "input"],
  ])("%s is refused as an event, and the socket stays open [WSK-5]", async (_what, text, code, param) => {
    const key = await issueKey(gateway, { credit: "1" });
    const socket = await connect(key.secret);
    socket.send(text);
    const [refused] = await socket.response();
    socket.send(create("quick"));
    const events = await socket.response();
    socket.ws.close();

    expect(refused).toMatchObject({ type: "error", error: { code, param } });
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(await chargesOf(gateway, key)).toHaveLength(1);
  });

  test("a key without money is told so as an event with status 402 [WSK-5]", async () => {
    const key = await issueKey(gateway, { credit: "0" });
    const socket = await connect(key.secret);
    socket.send(create("quick"));
    const [refused] = await socket.response();
    socket.ws.close();

    expect(refused).toMatchObject({ type: "error", status: 402, error: { code: "insufficient_credit" } });
  });

  test.each([
    ["a small message", "Hello"],
    ["a message that is too large to be read for nothing", "word ".repeat(40_000)],
  ])("of a used-up budget %s is told when it renews, and Codex to wait for seconds [HDR-8]", async (_what, input) => {
    const { secret } = await issueKey(gateway, { mode: "token_budget", budget: 0 });
    const waitOf = async (headers: Record<string, string>): Promise<number> => {
      const socket = await connect(secret, { path: "/token/v1/responses", headers });
      socket.send(create("quick", { input }));
      const [refused] = await socket.response();
      socket.ws.terminate();
      expect(refused).toMatchObject({ type: "error", status: 429, error: { code: "limit_reached" } });
      const told = refused?.["headers"] as Record<string, string>;
      expect(Date.parse(told["x-tollgate-renews-at"] ?? "")).toBeGreaterThan(Date.now());
      return Number(told["retry-after"]);
    };
    const now = new Date();
    const seconds = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()) / 1_000;
    const truth = Math.min(86_400, seconds);

    expect(Math.abs((await waitOf({})) - truth)).toBeLessThan(30);
    expect(await waitOf({ "user-agent": "codex_cli_rs/0.166.0 (Debian)" })).toBeLessThanOrEqual(10);
    expect(await waitOf({ originator: "codex_vscode" })).toBeLessThanOrEqual(10);
  });
});
