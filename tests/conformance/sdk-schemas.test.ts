import { describe, expect, test } from "vitest";
import { sdkSchemas } from "../sdk/sdk-schemas.ts";
import { createWireValidator, type WireName } from "../sdk/wire-validator.ts";

const { schemas, missing } = await sdkSchemas();
if (schemas === null) process.stderr.write(`skipped: the SDKs' types cannot be made into schemas: ${missing}\n`);

type Json = Record<string, unknown>;

const CHUNK: Json = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }],
};
const CALL = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } };
const TEXT_DELTA: Json = {
  type: "response.output_text.delta",
  sequence_number: 1,
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta: "hi",
  logprobs: [],
};
const BLOCK_DELTA: Json = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } };

const withoutIndex = (value: Json): Json => ({ ...value, index: undefined });
const withDelta = (delta: unknown): Json => ({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: null }] });

describe.skipIf(schemas === null)("the schemas of the official clients' types", () => {
  const faultsOf = createWireValidator(schemas ?? []);

  test.each<[WireName, Json]>([
    ["chatEvent", CHUNK],
    ["chatEvent", withDelta({ tool_calls: [CALL] })],
    ["responsesEvent", TEXT_DELTA],
    ["messagesEvent", BLOCK_DELTA],
    ["messagesEvent", { ...BLOCK_DELTA, a_member_of_next_year: 1 }],
    ["formatAError", { error: { message: "no", type: "api_error", code: null, param: null } }],
    ["formatBError", { type: "error", error: { type: "api_error", message: "no" }, request_id: null }],
  ])("a sound %s is accepted: %j", (name, value) => {
    expect(faultsOf(name, value)).toEqual([]);
  });

  test.each<[why: string, name: WireName, value: unknown, fault: RegExp]>([
    ["no choices", "chatEvent", { ...CHUNK, choices: undefined }, /^\. must have required property 'choices'/],
    [
      "no index of a choice",
      "chatEvent",
      { ...CHUNK, choices: [{ delta: {}, finish_reason: null }] },
      /^choices\/\* .*'index'/,
    ],
    ["no index of a call", "chatEvent", withDelta({ tool_calls: [withoutIndex(CALL)] }), /tool_calls\/\* .*'index'/],
    ["a number for text", "chatEvent", withDelta({ content: 1 }), /^choices\/\*\/delta\/content must be string,null/],
    ["null for a delta", "chatEvent", withDelta(null), /^choices\/\*\/delta must be object/],
    [
      "another finish",
      "chatEvent",
      { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: "done" }] },
      /finish_reason/,
    ],
    ["an unknown event", "responsesEvent", { ...TEXT_DELTA, type: "response.output_text.told" }, /value of tag "type"/],
    ["no type", "responsesEvent", { ...TEXT_DELTA, type: undefined }, /tag "type" must be string/],
    ["an object for a delta", "responsesEvent", { ...TEXT_DELTA, delta: {} }, /^delta must be string/],
    ["null for a place", "responsesEvent", { ...TEXT_DELTA, output_index: null }, /^output_index must be number/],
    ["no number in the row", "responsesEvent", { ...TEXT_DELTA, sequence_number: undefined }, /'sequence_number'/],
    ["no index of a block", "messagesEvent", withoutIndex(BLOCK_DELTA), /^\. must have required property 'index'/],
    [
      "an unknown delta",
      "messagesEvent",
      { ...BLOCK_DELTA, delta: { type: "told", text: "" } },
      /^delta value of tag "type"/,
    ],
    ["a delta without text", "messagesEvent", { ...BLOCK_DELTA, delta: { type: "text_delta" } }, /^delta .*'text'/],
    ["a ping, which is no answer", "messagesEvent", { type: "ping" }, /value of tag "type"/],
    ["no answer at all", "messagesAnswer", null, /must be object/],
    [
      "an error without a message",
      "formatBError",
      { type: "error", error: { type: "api_error" }, request_id: null },
      /'message'/,
    ],
  ])("%s makes a %s refused", (_why, name, value, fault) => {
    expect(faultsOf(name, JSON.parse(JSON.stringify(value)))).toContainEqual(expect.stringMatching(fault));
  });
});
