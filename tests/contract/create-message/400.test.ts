import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer } from "../knock.ts";
import { ask, MESSAGE, modelFor, send } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const INVALID = { status: 400, code: "invalid_request" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { plain: modelFor(MESSAGE, "sim"), misspelt: modelFor(MESSAGE, "sim+no-such-setting=1") },
  });
});
afterAll(async () => {
  // Whatever is refused here never reached the provider, but for the one model that is refused there.
  const called = new Set((await gateway.witness()).map(({ model }) => model));
  expect([...called].filter((model) => model === null || !/no-such/.test(model))).toEqual([]);
  await gateway.stop();
});

const second = (fields: object): object => ({ messages: [{ role: "user", content: "x" }, fields] });

describe("a field outside its constraint is refused, its path first [BOD-2] [BOD-3] [BOD-6] [MSG-30] [ERR-4] [ERR-5] [ERR-28]", () => {
  test.each<[rule: string, param: string, fields: object]>([
    ["[MSG-2]", "model", { model: "" }],
    ["[MSG-4]", "messages", { messages: [] }],
    ["[MSG-4]", "messages", { messages: "Hello" }],
    ["[MSG-5]", "messages.1.role", second({ content: "x" })],
    ["[MSG-5]", "messages.1.role", second({ role: "system", content: "x" })],
    ["[MSG-6]", "messages.1.content", second({ role: "user" })],
    ["[MSG-6]", "messages.1.content", second({ role: "user", content: null })],
    ["[MSG-6]", "messages.1.content.0", second({ role: "user", content: ["x"] })],
    ["[MSG-7]", "messages.1.content.0.type", second({ role: "user", content: [{ text: "x" }] })],
    ["[MSG-7]", "messages.1.content.0.type", second({ role: "user", content: [{ type: 1 }] })],
    ["[MSG-9]", "system", { system: 1 }],
    ["[MSG-9]", "system.0.type", { system: [{ text: "x" }] }],
    ["[MSG-10]", "max_tokens", { max_tokens: 0 }],
    ["[MSG-10]", "max_tokens", { max_tokens: 1.5 }],
    ["[MSG-14]", "stream", { stream: 1 }],
    ["[MSG-15]", "temperature", { temperature: "1" }],
    ["[MSG-15]", "top_p", { top_p: [] }],
    ["[MSG-16]", "top_k", { top_k: 1.5 }],
    ["[MSG-17]", "stop_sequences", { stop_sequences: "x" }],
    ["[MSG-17]", "stop_sequences.0", { stop_sequences: [1] }],
    ["[MSG-18]", "tools", { tools: {} }],
    ["[MSG-18]", "tools.0", { tools: ["f"] }],
    ["[MSG-19]", "tool_choice", { tool_choice: "auto" }],
    ["[MSG-20]", "metadata", { metadata: "x" }],
  ])("%s %s in %j", async (_rule, param, fields) => {
    expectRefused(MESSAGE, await ask(MESSAGE, { gateway, fields }), { ...INVALID, param });
  });
});

test("a role is refused in the words agents recover from [BOD-6]", async () => {
  const reply = await ask(MESSAGE, { gateway, fields: second({ role: "system", content: "x" }) });

  expect(expectRefused(MESSAGE, reply, INVALID)).toBe("messages.1.role: Input should be 'user' or 'assistant'");
});

describe("what would keep state for strangers, or cost what nobody published, is refused and named", () => {
  test.each<[rule: string, param: string, fields: object]>([
    [
      "[BOD-17]",
      "messages.1.content.0.source.file_id",
      second({ role: "user", content: [{ type: "document", source: { type: "file", file_id: "file_1" } }] }),
    ],
    ["[BOD-19]", "container", { container: "container_1" }],
    ["[BOD-20]", "mcp_servers", { mcp_servers: [{ type: "url", url: "https://example.com" }] }],
    ["[BOD-24]", "service_tier", { service_tier: "priority" }],
    ["[BOD-24]", "speed", { speed: "fast" }],
    ["[BOD-24]", "inference_geo", { inference_geo: "us" }],
    ["[BOD-25]", "tools.0.type", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["[BOD-25]", "tools.0.type", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }],
  ])("%s %s", async (_rule, param, fields) => {
    expectRefused(MESSAGE, await ask(MESSAGE, { gateway, fields }), { ...INVALID, param });
  });
});

describe("a thread is refused in the form on which the official tool runner goes on without one", () => {
  test.each<[name: string, thread: unknown, content: string]>([
    ["that is begun", { type: "create" }, "Hello"],
    ["that goes on", { type: "continue", previous_message_id: "msg_1" }, "Hello"],
    ["of any other form", "thread_1", "Hello"],
    ["of a large request", { type: "create" }, "Hello ".repeat(20_000)],
  ])("%s [BOD-43]", async (_name, thread, content) => {
    const reply = await ask(MESSAGE, { gateway, fields: { thread, messages: [{ role: "user", content }] } });

    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toMatchObject({
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "thread: Stored threads aren't supported. Send the whole conversation in `messages`.",
        code: "invalid_request",
        details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
      },
    });
  });
});

test.each<[name: string, body: string]>([
  ["empty", ""],
  ["not JSON", "model=plain"],
  ["a list", "[]"],
  ["nested 65 levels deep", `{"model":"plain","extra":${"[".repeat(64)}${"]".repeat(64)}}`],
])("a body that is %s is refused [BOD-7] [BOD-9]", async (_name, body) => {
  expectRefused(MESSAGE, await send(MESSAGE, { gateway, body }), INVALID);
});

test("a body that is not called JSON is refused [BOD-10]", async () => {
  const headers = [...bearer(gateway.keys.credit), "content-type", "text/plain"];

  expectRefused(MESSAGE, await send(MESSAGE, { gateway, body: "{}", headers }), INVALID);
});

test("a provider's refusal that is the caller's fault is told as such [UPS-6]", async () => {
  const reply = await ask(MESSAGE, { gateway, fields: { model: "misspelt" } });

  expect(expectRefused(MESSAGE, reply, INVALID)).toMatch(/^The provider rejected the request: .*no-such-setting/);
});
