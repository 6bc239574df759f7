import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { ask, CHAT, COUNT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const SCHEMA = { type: "object", properties: {} };
const TOOLS: Record<Operation["dialect"], object[]> = {
  chat: [{ type: "function", function: { name: "look", parameters: SCHEMA } }],
  responses: [{ type: "function", name: "look", parameters: SCHEMA }],
  messages: [{ name: "look", input_schema: SCHEMA }],
};

describe.each([CHAT, RESPONSES, MESSAGE])("$path", (operation) => {
  const { dialect } = operation;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: {
        plain: modelFor(operation, "sim+tokens=2", { capabilities: { tools: false } }),
        able: modelFor(operation, "sim+tokens=2", { capabilities: { tools: true } }),
        silent: modelFor(operation, "sim+tokens=2", { capabilities: {} }),
      },
    });
  });
  afterAll(() => gateway.stop());

  test("tools sent to a model that is published without them are refused and named [MOD-24]", async () => {
    for (const stream of [false, true]) {
      const reply = await ask(operation, { gateway, fields: { tools: TOOLS[dialect], stream } });
      const message = expectRefused(operation, reply, { status: 400, code: "invalid_request", param: "tools" });

      expect(message).toContain("plain doesn't support tools");
    }
    expect(await gateway.witness()).toEqual([]);
  });

  test("without tools, or with an empty list of them, it answers [MOD-24]", async () => {
    expect((await ask(operation, { gateway })).status).toBe(200);
    expect((await ask(operation, { gateway, fields: { tools: [] } })).status).toBe(200);
  });

  test("a model that says it supports them, or says nothing, is sent tools [MOD-24]", async () => {
    for (const model of ["able", "silent"])
      expect((await ask(operation, { gateway, fields: { model, tools: TOOLS[dialect] } })).status).toBe(200);
  });

  if (dialect === "messages")
    test("tools are counted all the same, since counting generates nothing [MOD-24]", async () => {
      expect((await ask(COUNT, { gateway, fields: { tools: TOOLS.messages } })).status).toBe(200);
    });
  if (dialect === "chat")
    test("the older name for tools is refused too [MOD-24]", async () => {
      const reply = await ask(operation, { gateway, fields: { functions: [{ name: "look", parameters: SCHEMA }] } });

      expectRefused(operation, reply, { status: 400, code: "invalid_request", param: "functions" });
    });
});
