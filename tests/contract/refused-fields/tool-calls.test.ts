import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { CHAT, COUNT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { chat: modelFor(CHAT, "sim"), responses: modelFor(RESPONSES, "sim"), messages: modelFor(MESSAGE, "sim") },
  });
});
afterAll(async () => {
  expect(await gateway.witness(), "the provider is asked for nothing that is refused").toEqual([]);
  await gateway.stop();
});

const HELLO = { role: "user", content: "Hello" };
const called = (call: unknown) => ({ messages: [HELLO, { role: "assistant", content: null, tool_calls: [call] }] });
const item = (fields: object) => ({ input: [HELLO, fields] });
const block = (role: string, fields: object) => ({ max_tokens: 5, messages: [HELLO, { role, content: [fields] }] });
const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const custom = { id: "call_1", type: "custom", custom: { name: "f", input: "x" } };
const functionCall = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
const toolUse = { type: "tool_use", id: "call_1", name: "f", input: {} };

type Case = [operation: Operation, model: string, param: string, body: object];
const messages = (operation: Operation, param: string, body: object): Case => [operation, "messages", param, body];
const CASES: readonly Case[] = [
  ...(
    [
      ["tool_calls.0.id", called({})],
      ["tool_calls.0.id", called({ ...call, id: undefined })],
      ["tool_calls.0.id", called({ ...call, id: "" })],
      ["tool_calls.0.id", called({ ...call, id: 7 })],
      ["tool_calls.0.type", called({ ...call, type: "method" })],
      ["tool_calls.0.function", called({ ...call, function: undefined })],
      ["tool_calls.0.function.name", called({ ...call, function: { arguments: "{}" } })],
      ["tool_calls.0.function.name", called({ ...call, function: { name: "", arguments: "{}" } })],
      ["tool_calls.0.function.arguments", called({ ...call, function: { name: "f" } })],
      ["tool_calls.0.function.arguments", called({ ...call, function: { name: "f", arguments: {} } })],
      ["tool_calls.0.custom", called({ ...custom, custom: undefined })],
      ["tool_calls.0.custom.input", called({ ...custom, custom: { name: "f", input: {} } })],
    ] as const
  ).map(([param, body]): Case => [CHAT, "chat", `messages.1.${param}`, body]),
  ...(
    [
      ["call_id", item({ ...functionCall, call_id: undefined })],
      ["name", item({ ...functionCall, name: "" })],
      ["arguments", item({ ...functionCall, arguments: {} })],
      ["input", item({ type: "custom_tool_call", call_id: "call_1", name: "f", input: {} })],
      ["call_id", item({ type: "function_call_output", output: "x" })],
      ["call_id", item({ type: "custom_tool_call_output", call_id: "", output: "x" })],
    ] as const
  ).map(([param, body]): Case => [RESPONSES, "responses", `input.1.${param}`, body]),
  ...[MESSAGE, COUNT].flatMap((operation) => [
    messages(operation, "messages.1.content.0.id", block("assistant", { ...toolUse, id: undefined })),
    messages(operation, "messages.1.content.0.name", block("assistant", { ...toolUse, name: "" })),
    messages(operation, "messages.1.content.0.input", block("assistant", { ...toolUse, input: "{}" })),
    messages(operation, "messages.1.content.0.tool_use_id", block("user", { type: "tool_result", content: "x" })),
  ]),
];

describe("a malformed tool call gets 400, and its field is named [CHA-9] [ERR-1]", () => {
  test.each(CASES.map((one) => [one[0].path, ...one] as const))(
    "%s of %o %s: %s",
    async (_path, operation, model, param, body) => {
      const response = await fetch(`${gateway.publicUrl}${operation.path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
        body: JSON.stringify({ model, ...body }),
      });
      const { error } = (await response.json()) as { error: { message: string; param?: string } };

      expect([response.status, error.message]).toEqual([400, expect.stringContaining(`${param}: `)]);
      if (operation === CHAT || operation === RESPONSES) expect(error.param).toBe(param);
    },
  );
});
