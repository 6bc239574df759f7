import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer } from "../knock.ts";
import { ask, JSON_TYPE, modelFor, RESPONSES, send } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const INVALID = { status: 400, code: "invalid_request" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: modelFor(RESPONSES, "sim"),
      small: modelFor(RESPONSES, "sim", { maxOutputTokens: 8 }),
      misspelt: modelFor(RESPONSES, "sim+no-such-setting=1"),
    },
  });
});
afterAll(async () => {
  // Whatever is refused here never reached the provider, but for the one model that is refused there.
  const called = new Set((await gateway.witness()).map(({ model }) => model));
  expect([...called].filter((model) => model === null || !/no-such/.test(model))).toEqual([]);
  await gateway.stop();
});

describe("a field outside its constraint is refused and named [BOD-2] [BOD-3] [BOD-5] [RES-18] [ERR-1] [ERR-15]", () => {
  test.each<[rule: string, param: string, fields: object]>([
    ["[RES-2]", "model", { model: "" }],
    ["[RES-2]", "model", { model: 1 }],
    ["[RES-4]", "input", { input: 1 }],
    ["[RES-4]", "input", { input: null }],
    ["[RES-4]", "input", { input: {} }],
    ["[RES-4]", "input.1", { input: [{}, "Hello"] }],
    ["[RES-5]", "instructions", { instructions: ["Be brief."] }],
    ["[RES-6]", "stream", { stream: "true" }],
    ["[RES-7]", "max_output_tokens", { max_output_tokens: 0 }],
    ["[RES-7]", "max_output_tokens", { max_output_tokens: 1.5 }],
    ["[RES-7]", "max_output_tokens", { max_output_tokens: "10" }],
    ["[RES-8]", "max_output_tokens", { max_output_tokens: 16_385 }],
    ["[RES-8]", "max_output_tokens", { model: "small", max_output_tokens: 9 }],
    ["[RES-9]", "tools", { tools: {} }],
    ["[RES-9]", "tools.0", { tools: ["f"] }],
    ["[RES-10]", "tool_choice", { tool_choice: 1 }],
  ])("%s %s in %j", async (_rule, param, fields) => {
    expectRefused(RESPONSES, await ask(RESPONSES, { gateway, fields }), { ...INVALID, param });
  });
});

test.each(["model", "input"])("a body without `%s` is refused and the field named [BOD-4] [BOD-5]", async (name) => {
  const fields = { model: "plain", ...RESPONSES.body, [name]: undefined };
  const reply = await send(RESPONSES, { gateway, body: JSON.stringify(fields) });

  expect(expectRefused(RESPONSES, reply, { ...INVALID, param: name })).toContain("Field required");
});

describe("what would keep state for strangers, or cost what nobody published, is refused and named", () => {
  test.each<[rule: string, param: string, fields: object]>([
    ["[BOD-12]", "previous_response_id", { previous_response_id: "resp_1" }],
    ["[BOD-13]", "conversation", { conversation: "conv_1" }],
    ["[BOD-14]", "background", { background: true }],
    ["[BOD-15]", "input.0.type", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["[BOD-16]", "prompt.id", { prompt: { id: "pmpt_1" } }],
    ["[BOD-17]", "input.0.content.0.file_id", { input: [{ role: "user", content: [{ file_id: "file_1" }] }] }],
    ["[BOD-18]", "tools.0.vector_store_ids", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
    ["[BOD-19]", "tools.0.container", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }],
    ["[BOD-20]", "tools.0.server_url", { tools: [{ type: "mcp", server_url: "https://example.com" }] }],
    ["[BOD-20]", "tools.0.connector_id", { tools: [{ type: "mcp", connector_id: "connector_gmail" }] }],
    ["[BOD-24]", "service_tier", { service_tier: "priority" }],
    ["[BOD-25]", "tools.0.type", { tools: [{ type: "web_search" }] }],
  ])("%s %s", async (_rule, param, fields) => {
    expectRefused(RESPONSES, await ask(RESPONSES, { gateway, fields }), { ...INVALID, param });
  });
});

test.each<[name: string, body: string]>([
  ["empty", ""],
  ["not JSON", "model=plain"],
  ["a list", "[]"],
  ["nested 65 levels deep", `{"model":"plain","input":"x","extra":${"[".repeat(64)}${"]".repeat(64)}}`],
])("a body that is %s is refused [BOD-7] [BOD-9]", async (_name, body) => {
  expectRefused(RESPONSES, await send(RESPONSES, { gateway, body }), INVALID);
});

test("a body that is not called JSON is refused [BOD-10]", async () => {
  const headers = [...bearer(gateway.keys.credit), "content-type", "text/plain"];

  expectRefused(RESPONSES, await send(RESPONSES, { gateway, body: "{}", headers }), INVALID);
});

test("an end user named by no text is refused rather than passed on [BOD-28]", async () => {
  const fields = { safety_identifier: { name: "ann" } };

  expectRefused(RESPONSES, await ask(RESPONSES, { gateway, fields }), { ...INVALID, param: "safety_identifier" });
});

test("a provider's refusal that is the caller's fault is told as such [UPS-6]", async () => {
  const reply = await ask(RESPONSES, { gateway, fields: { model: "misspelt" } });

  expect(expectRefused(RESPONSES, reply, INVALID)).toMatch(/^The provider rejected the request: .*no-such-setting/);
});

test("x-api-key is not for this route [AUT-3] [AUT-4]", async () => {
  const body = JSON.stringify({ model: "plain", ...RESPONSES.body });
  const reply = await send(RESPONSES, { gateway, body, headers: ["x-api-key", gateway.keys.credit, ...JSON_TYPE] });

  expectRefused(RESPONSES, reply, { status: 401, code: "invalid_credentials" });
});

test.each([{ type: "item_reference", id: "msg_1" }, { id: "msg_1" }])(
  "a reference is refused with the reason and the fix of each client: %j [BOD-15]",
  async (item) => {
    const reply = await ask(RESPONSES, { gateway, fields: { input: [item] } });

    expect(reply.status).toBe(400);
    const { error } = JSON.parse(reply.text) as { error: { message: string } };
    expect(error.message).toContain("sends `store: false`");
    expect(error.message).toContain("AI SDK: set `providerOptions: { openai: { store: false } }`");
    expect(error.message).toContain("OpenAI SDK: send `input: [...response.output, next]`");
  },
);
