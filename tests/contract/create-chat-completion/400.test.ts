import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, expectRefusal } from "../knock.ts";
import { ask, EVERYDAY, JSON_TYPE, MESSAGES, send } from "./ask.ts";

const INVALID = { status: 400, code: "invalid_request", type: "invalid_request_error" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      ...EVERYDAY,
      small: { upstream: "sim", maxOutputTokens: 8 },
      misspelt: { upstream: "sim+no-such-setting=1" },
    },
  });
});
afterAll(async () => {
  // Whatever is refused here never reached the provider, but for the one model that is refused there.
  const called = new Set((await gateway.witness()).map(({ model }) => model));
  expect([...called].filter((model) => model === null || !/no-such/.test(model))).toEqual([]);
  await gateway.stop();
});

const without = (name: string): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries({ model: "everyday", messages: MESSAGES }).filter(([key]) => key !== name)),
  );

describe("a field outside its constraint is refused and named [CHA-2] [CHA-4] [CHA-7] [CHA-8] [CHA-9] [CHA-11] [CHA-14] [CHA-15] [CHA-19] [CHA-22] [BOD-2] [BOD-3] [BOD-5] [CHA-30] [ERR-1] [ERR-2] [ERR-15] [HDR-10]", () => {
  const message = (fields: object): object => ({ messages: [{ role: "user", content: "x" }, fields] });
  test.each<[rule: string, param: string, fields: object]>([
    ["CHA-2", "model", { model: "" }],
    ["CHA-2", "model", { model: 1 }],
    ["CHA-2", "model", { model: null }],
    ["CHA-2", "model", { model: ["everyday"] }],
    ["CHA-4", "messages", { messages: [] }],
    ["CHA-4", "messages", { messages: "Hello" }],
    ["CHA-4", "messages", { messages: {} }],
    ["CHA-4", "messages", { messages: null }],
    ["CHA-4", "messages.0", { messages: ["Hello"] }],
    ["CHA-4", "messages.1", message([])],
    ["CHA-5", "messages.1.role", message({ content: "x" })],
    ["CHA-5", "messages.1.role", message({ role: "robot", content: "x" })],
    ["CHA-5", "messages.1.role", message({ role: "User", content: "x" })],
    ["CHA-5", "messages.1.role", message({ role: null, content: "x" })],
    ["CHA-6", "messages.1.content", message({ role: "user", content: 1 })],
    ["CHA-6", "messages.1.content", message({ role: "user", content: { type: "text" } })],
    ["CHA-6", "messages.1.content.1", message({ role: "user", content: [{ type: "text" }, "x"] })],
    ["CHA-7", "messages.1.name", message({ role: "user", name: 1 })],
    ["CHA-8", "messages.1.tool_call_id", message({ role: "tool", tool_call_id: 7 })],
    ["CHA-9", "messages.1.tool_calls", message({ role: "assistant", tool_calls: {} })],
    ["CHA-9", "messages.1.tool_calls", message({ role: "assistant", tool_calls: "f" })],
    ["CHA-9", "messages.1.tool_calls.0", message({ role: "assistant", tool_calls: ["f"] })],
    ["CHA-11", "stream", { stream: "true" }],
    ["CHA-11", "stream", { stream: 1 }],
    ["CHA-12", "max_tokens", { max_tokens: 0 }],
    ["CHA-12", "max_tokens", { max_tokens: -1 }],
    ["CHA-12", "max_tokens", { max_tokens: 1.5 }],
    ["CHA-12", "max_tokens", { max_tokens: "10" }],
    ["CHA-12", "max_tokens", { max_tokens: 1e300 }],
    ["CHA-13", "max_tokens", { max_tokens: 16_385 }],
    ["CHA-13", "max_tokens", { model: "small", max_tokens: 9 }],
    ["CHA-14", "max_completion_tokens", { max_completion_tokens: 0 }],
    ["CHA-14", "max_completion_tokens", { max_completion_tokens: true }],
    ["CHA-14", "max_completion_tokens", { model: "small", max_completion_tokens: 9 }],
    ["CHA-15", "max_tokens", { max_tokens: 5, max_completion_tokens: 6 }],
    ["CHA-16", "temperature", { temperature: -0.1 }],
    ["CHA-16", "temperature", { temperature: 2.01 }],
    ["CHA-16", "temperature", { temperature: "1" }],
    ["CHA-17", "top_p", { top_p: -0.1 }],
    ["CHA-17", "top_p", { top_p: 1.01 }],
    ["CHA-17", "top_p", { top_p: [] }],
    ["CHA-18", "stop", { stop: 1 }],
    ["CHA-18", "stop", { stop: {} }],
    ["CHA-18", "stop.1", { stop: ["a", 1] }],
    ["CHA-19", "stop", { stop: ["a", "b", "c", "d", "e"] }],
    ["CHA-20", "tools", { tools: {} }],
    ["CHA-20", "tools.0", { tools: ["f"] }],
    ["CHA-20", "tools.1", { tools: [{}, null] }],
    ["CHA-21", "tool_choice", { tool_choice: 1 }],
    ["CHA-21", "tool_choice", { tool_choice: ["f"] }],
    ["CHA-22", "user", { user: 1 }],
  ])("[%s] %s in %j", async (_rule, param, fields) => {
    expectRefusal(await ask(gateway, fields), { ...INVALID, param });
  });
});

describe("what would keep state for strangers, or cost what nobody published, is refused and named", () => {
  const content = (part: object): object => ({ messages: [{ role: "user", content: [part] }] });
  test.each<[rule: string, param: string, fields: object]>([
    ["BOD-17", "messages.0.content.0.file.file_id", content({ type: "file", file: { file_id: "file_1" } })],
    ["BOD-20", "mcp_servers", { mcp_servers: [{ url: "https://example.com" }] }],
    ["BOD-21", "messages.0.audio.id", { messages: [{ role: "assistant", audio: { id: "audio_1" } }] }],
    ["BOD-24", "service_tier", { service_tier: "priority" }],
    ["BOD-24", "speed", { speed: "fast" }],
    ["BOD-24", "inference_geo", { inference_geo: "us" }],
    ["BOD-25", "web_search_options", { web_search_options: {} }],
    ["BOD-25", "tools.0.type", { tools: [{ type: "web_search" }] }],
  ])("[%s] %s", async (_rule, param, fields) => {
    expectRefusal(await ask(gateway, fields), { ...INVALID, param });
  });
});

test.each(["model", "messages"])("a body without `%s` is refused and the field named [BOD-4] [BOD-5]", async (name) => {
  expectRefusal(await send(gateway, without(name)), { ...INVALID, param: name });
});

test.each<[name: string, body: string | Buffer, param?: string]>([
  ["empty", ""],
  ["of blanks", "  \n"],
  ["not JSON", "model=everyday"],
  ["cut short", '{"model":"everyday","messages":[{"role":"us'],
  ["followed by more", '{"model":"everyday","messages":[]} {}'],
  ["a list", "[]"],
  ["a string", '"Hello"'],
  ["null", "null"],
  ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ["UTF-16", Buffer.from('{"model":"everyday"}', "utf16le")],
  ["with a byte order mark", `\u{feff}${without("")}`],
  ["nested 65 levels deep", `{"model":"everyday","extra":${"[".repeat(64)}${"]".repeat(64)}}`],
  ["nested 100,000 levels deep", `{"model":"everyday","extra":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ["with a field given twice", `{"model":"everyday","model":"small","messages":[]}`, "model"],
  [
    "with a field given twice, once in escapes",
    String.raw`{"model":"everyday","mod\u0065l":"small","messages":[]}`,
    "model",
  ],
])("a body that is %s is refused [BOD-7] [BOD-9] [ORD-4]", async (_name, body, param) => {
  expectRefusal(await send(gateway, body), { ...INVALID, param: param ?? null });
});

test.each<[name: string, headers: string[]]>([
  ["no content type", []],
  ["a form", ["content-type", "application/x-www-form-urlencoded"]],
  ["plain text", ["content-type", "text/plain"]],
  ["a type that only begins like JSON", ["content-type", "application/jsonp"]],
  ["JSON lines", ["content-type", "application/json-seq"]],
  ["a compressed body", [...JSON_TYPE, "content-encoding", "gzip"]],
])("%s is refused [BOD-10]", async (_name, headers) => {
  expectRefusal(await ask(gateway, {}, [...bearer(gateway.keys.credit), ...headers]), INVALID);
});

test("an invalid body is refused before its model is looked up [ORD-5]", async () => {
  expectRefusal(await ask(gateway, { model: "no-such-model", messages: [] }), { ...INVALID, param: "messages" });
});

test("a refused body is not quoted: it may hold a secret", async () => {
  const { message } = expectRefusal(await send(gateway, '{"password":"hunter2'), INVALID);

  expect(message).not.toContain("hunter2");
});

test("a provider's refusal that is the caller's fault is told as such [UPS-6]", async () => {
  const { message } = expectRefusal(await ask(gateway, { model: "misspelt" }), INVALID);

  expect(message).toMatch(/^The provider rejected the request: .*no-such-setting/);
});
