import { expect, test } from "vitest";
import { parseBody } from "../wire/json/parse-body.ts";
import { readChatRequest } from "../wire/chat/chat-request.ts";
import { readMessagesRequest } from "../wire/messages/messages-request.ts";
import { readResponsesRequest } from "../wire/responses/responses-request.ts";
import { limitAdvice } from "./limit-advice.ts";

const parsed = (body: object) => parseBody(Buffer.from(JSON.stringify({ model: "m", ...body })), 64);
const messages = [{ role: "user", content: "hi" }];
const chat = (fields: object) => limitAdvice(readChatRequest(parsed({ messages, ...fields })), 16_384);
const responses = (fields: object) => limitAdvice(readResponsesRequest(parsed({ input: "hi", ...fields })), 16_384);
const message = (fields: object) => limitAdvice(readMessagesRequest(parsed({ messages, ...fields }), {}), 16_384);

test("a limit that is written already makes the body no longer, one that is not does", () => {
  expect(chat({ max_tokens: 20_000 })).toEqual({ fields: "max_tokens", addedBytes: 0, smallest: 1 });
  expect(chat({ max_completion_tokens: 500 })).toMatchObject({ fields: "max_completion_tokens", addedBytes: 2 });
  expect(chat({}).addedBytes).toBeGreaterThan(`,"max_tokens":16384`.length);
  expect(message({}).addedBytes).toBeGreaterThan(`,\n    "max_tokens": 16384`.length);
});

test("two fields of one limit are both named, since two that differ are refused", () => {
  expect(chat({ max_tokens: 20_000, max_completion_tokens: 20_000 }).fields).toBe(
    "max_tokens and max_completion_tokens",
  );
});

test("the responses format has a least limit, and thinking needs more than its budget", () => {
  expect(responses({})).toMatchObject({ fields: "max_output_tokens", smallest: 16 });
  expect(message({ thinking: { type: "enabled", budget_tokens: 2_000 } }).smallest).toBe(2_001);
  expect(message({ thinking: { type: "disabled" } }).smallest).toBe(1);
});
