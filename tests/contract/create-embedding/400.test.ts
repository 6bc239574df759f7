import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { ask, CHAT, EMBEDDINGS, MESSAGE, modelFor, RESPONSES, send } from "../operations.ts";
import { expectRefused } from "../refused.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: modelFor(EMBEDDINGS, "sim-embed", { contextWindow: 16 }),
      wide: modelFor(EMBEDDINGS, "sim-embed", { contextWindow: 1_000_000 }),
      chat: { upstream: "sim" },
    },
  });
});
afterAll(async () => {
  // The provider was asked for nothing but what it refused itself.
  const wrong = (await gateway.witness()).filter(({ status }) => status !== 400);
  expect(wrong).toEqual([]);
  await gateway.stop();
});

const INVALID = { status: 400, code: "invalid_request" };
const TOO_LONG = { status: 400, code: "context_length_exceeded" };

describe("a field outside its constraint is refused and named [EMB-2] [EMB-3] [EMB-4]", () => {
  test.each<[param: string, fields: object]>([
    ["model", { model: "" }],
    ["model", { model: 1 }],
    ["input", { input: null }],
    ["input", { input: "" }],
    ["input", { input: 1 }],
    ["input", { input: {} }],
    ["input", { input: [] }],
    ["input", { input: Array.from({ length: 2_049 }, () => "a") }],
    ["input", { input: Array.from({ length: 2_049 }, () => [1]) }],
    ["input.0", { input: [null] }],
    ["input.0", { input: [{ text: "a" }] }],
    ["input.0", { input: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }],
    ["input.1", { input: ["a", ""] }],
    ["input.1", { input: ["a", 1] }],
    ["input.1", { input: ["a", ["b"]] }],
    ["input.1", { input: [[1], "a"] }],
    ["input.1", { input: [[1], []] }],
    ["input.0", { input: [[]] }],
    ["input.0.0", { input: [["a"]] }],
    ["input.0.0", { input: [[[1]]] }],
    ["input.1", { input: [1, "a"] }],
    ["input.1", { input: [1, 1.5] }],
    ["input.0", { input: [-1] }],
    ["input.0", { input: [2_147_483_648] }],
    ["input.0", { input: [1e300] }],
    ["input.1.2", { input: [[1], [1, 2, 3.25]] }],
    ["dimensions", { dimensions: 0 }],
    ["dimensions", { dimensions: 1.5 }],
    ["dimensions", { dimensions: "8" }],
    ["encoding_format", { encoding_format: "binary" }],
    ["user", { user: 1 }],
    ["stream", { stream: true }],
    ["service_tier", { service_tier: "priority" }],
    ["messages", { messages: [{ role: "user", content: "a" }] }],
    ["api_base", { api_base: "https://example.com" }],
  ])("%s: %j", async (param, fields) => {
    expectRefused(EMBEDDINGS, await ask(EMBEDDINGS, { gateway, fields }), { ...INVALID, param });
  });

  test("input is required", async () => {
    const reply = await send(EMBEDDINGS, { gateway, body: JSON.stringify({ model: "plain" }) });

    expect(expectRefused(EMBEDDINGS, reply, { ...INVALID, param: "input" })).toContain("required");
  });

  test.each([
    ["twice at the top", `{"model":"plain","input":"a","input":"b"}`],
    ["twice in an item", `{"model":"plain","input":[{"a":1,"a":2}]}`],
    ["no JSON", `{"model":"plain","input":`],
    ["a number too large for a token", `{"model":"plain","input":[123456789012345678901234567890]}`],
    ["nested without end", `{"model":"plain","input":${"[".repeat(100)}1${"]".repeat(100)}}`],
    ["more values than are read", `{"model":"plain","input":[${"1,".repeat(310_000)}1]}`],
  ])("a body with %s", async (_what, body) => {
    const reply = await send(EMBEDDINGS, { gateway, body });

    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toMatchObject({ error: { code: "invalid_request" } });
  });
});

describe("a model is for embeddings or for text, and the other is said where it is asked for [EMB-7]", () => {
  test("a model that generates text", async () => {
    const reply = await ask(EMBEDDINGS, { gateway, fields: { model: "chat" } });

    expect(expectRefused(EMBEDDINGS, reply, { ...INVALID, param: "model" })).toMatch(/"chat" generates text/);
  });

  test.each([CHAT, RESPONSES, MESSAGE])("a model that makes embeddings, at $path", async (operation) => {
    const reply = await ask(operation, { gateway });
    const { error } = JSON.parse(reply.text) as { error: { message: string } };

    expect(reply.status).toBe(400);
    expect(error.message).toMatch(/"plain" makes embeddings .* POST \/v1\/embeddings/);
  });
});

describe("an input that is longer than the model takes [EMB-12]", () => {
  test("of tokens is refused before any provider is asked, and named", async () => {
    const input = [[1], Array.from({ length: 17 }, () => 1)];
    const reply = await ask(EMBEDDINGS, { gateway, fields: { input } });

    expect(expectRefused(EMBEDDINGS, reply, { ...TOO_LONG, param: "input" })).toBe(
      "Input 1 has 17 tokens; plain accepts at most 16 in each. Split it.",
    );
  });

  test("of text is its provider's to refuse", async () => {
    const reply = await ask(EMBEDDINGS, { gateway, fields: { model: "wide", input: "word ".repeat(8_000) } });

    expectRefused(EMBEDDINGS, reply, TOO_LONG);
  });
});
