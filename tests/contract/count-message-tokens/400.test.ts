import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { ask, COUNT, modelFor, send } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const INVALID = { status: 400, code: "invalid_request" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: { plain: modelFor(COUNT, "sim") } });
});
afterAll(async () => {
  expect(await gateway.witness()).toEqual([]);
  await gateway.stop();
});

test.each<[rule: string, param: string, fields: object]>([
  ["[CNT-3]", "model", { model: "" }],
  ["[CNT-5]", "messages", { messages: [] }],
  ["[CNT-5]", "messages.0.role", { messages: [{ role: "system", content: "x" }] }],
  ["[CNT-5]", "messages.0.content", { messages: [{ role: "user" }] }],
  ["[CNT-5]", "messages.0.content.0.type", { messages: [{ role: "user", content: [{}] }] }],
  ["[CNT-6]", "system", { system: 1 }],
  ["[CNT-6]", "system.0.type", { system: [{}] }],
  ["[CNT-7]", "tools", { tools: {} }],
  ["[CNT-8]", "tool_choice", { tool_choice: "auto" }],
])("%s %s outside its constraint is refused and named [CNT-14] [ERR-28]", async (_rule, param, fields) => {
  expectRefused(COUNT, await ask(COUNT, { gateway, fields }), { ...INVALID, param });
});

test.each(["model", "messages"])("a body without `%s` is refused [BOD-4]", async (name) => {
  const body = JSON.stringify({ model: "plain", ...COUNT.body, [name]: undefined });

  expectRefused(COUNT, await send(COUNT, { gateway, body }), { ...INVALID, param: name });
});

test("a body that is not JSON is refused [BOD-7]", async () => {
  expectRefused(COUNT, await send(COUNT, { gateway, body: "not JSON" }), INVALID);
});
