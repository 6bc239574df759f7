import { expect, test } from "vitest";
import { parseBody } from "../json/parse-body.ts";
import { readMessagesRequest } from "./messages-request.ts";
import { nativeHeaders } from "./native-headers.ts";

const MESSAGES = [{ role: "user", content: "hi" }];

const read = (fields: object, headers: Record<string, string> = {}) =>
  readMessagesRequest(
    parseBody(Buffer.from(JSON.stringify({ model: "m", messages: MESSAGES, ...fields })), 64),
    headers,
  );

test.each([
  [
    "messages.1.role: Input should be 'user' or 'assistant'",
    { messages: [...MESSAGES, { role: "system", content: "" }] },
  ],
  ["messages.0.content: Field required", { messages: [{ role: "user" }] }],
  ["messages.0.content.0.type: Field required", { messages: [{ role: "user", content: [{ text: "x" }] }] }],
  ["messages.0.content: Input should be a string or an array", { messages: [{ role: "user", content: 5 }] }],
  ["messages: List should have at least 1 item", { messages: [] }],
  ["max_tokens: Input should be at least 1", { max_tokens: 0 }],
  ["max_tokens: Input should be an integer", { max_tokens: 1.5 }],
  ["system.0.type: Field required", { system: [{ text: "x" }] }],
  ["tool_choice: Input should be an object", { tool_choice: "auto" }],
  ["stop_sequences.0: Input should be a string", { stop_sequences: [1] }],
])("a wrong body is refused in the words agents know: %s [BOD-6]", (message, fields) => {
  expect(() => read(fields)).toThrow(
    expect.objectContaining({ message, param: message.slice(0, message.indexOf(":")) }),
  );
});

test("without a limit of its own a request has the default one [MSG-11]", () => {
  expect(read({})).toMatchObject({ maxOutputTokens: 1024, edits: { max_tokens: "1024" } });
  expect(read({ max_tokens: 5 })).toMatchObject({ maxOutputTokens: 5, edits: {} });
  for (const large of [2 ** 53 + 2, 1e30])
    expect(read({ max_tokens: large }).maxOutputTokens).toBe(Number.MAX_SAFE_INTEGER);
});

test.each([
  ["none", {}, "2023-06-01"],
  ["the first", { "compat-version": "2023-06-01" }, "2023-06-01"],
  ["its other name", { "anthropic-version": "2026-10-21" }, "2026-10-21"],
  ["a day in between", { "anthropic-version": "2026-10-20" }, "2023-06-01"],
  ["a day to come", { "compat-version": "2031-01-01" }, "2026-10-21"],
  ["both names, agreeing", { "compat-version": "2023-06-01", "anthropic-version": "2023-06-01" }, "2023-06-01"],
])("the version asked for (%s) selects the newest not after it [VER-4] [VER-5] [VER-6]", (_name, headers, version) => {
  expect(read({}, headers).forwardedHeaders).toEqual({ "anthropic-version": version });
});

test.each([
  ["no date", { "compat-version": "latest" }],
  ["no day of any month", { "compat-version": "2026-11-31" }],
  ["two values", { "compat-version": "2026-10-21, 2026-10-21" }],
  ["before the first", { "anthropic-version": "2023-05-31" }],
  ["no date beside one that is", { "compat-version": "latest", "anthropic-version": "2026-10-21" }],
])("a version that is %s means the default [VER-7] [VER-8] [VER-4]", (_name, headers) => {
  expect(read({}, headers).forwardedHeaders).toEqual({ "anthropic-version": "2023-06-01" });
});

test("the interface's own name for the version wins over the other [VER-4]", () => {
  for (const [own, other] of [
    ["2023-06-01", "2026-10-21"],
    ["2026-10-21", "2023-06-01"],
  ] as const) {
    const headers = { "compat-version": own, "anthropic-version": other };

    expect(read({}, headers).forwardedHeaders).toEqual({ "anthropic-version": own });
  }
});

test("only flags on the list pass, each once and in their order [BOD-30]", () => {
  const flags =
    "interleaved-thinking-2025-05-14, files-api-2025-04-14,claude-code-20250219,interleaved-thinking-2025-05-14";

  expect(read({}, { "anthropic-beta": flags }).forwardedHeaders).toEqual({
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "interleaved-thinking-2025-05-14,claude-code-20250219",
  });
});

test("an operator can add flags to those that are passed on [BOD-31]", () => {
  const headers = { "anthropic-beta": "brand-new-2026-11-01,unheard-of" };

  expect(nativeHeaders(headers, ["brand-new-2026-11-01"])).toMatchObject({ "anthropic-beta": "brand-new-2026-11-01" });
});
