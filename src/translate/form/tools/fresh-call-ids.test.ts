import { describe, expect, test } from "vitest";
import { cross } from "../../../../tests/support/cross.ts";
import type { ClientDialect } from "../../../core/request/dialect.ts";
import { createFreshCallIds } from "./fresh-call-ids.ts";

type Json = Record<string, unknown>;

const named = { name: "f", arguments: "{}" };
/** A conversation in which `call_0` has been made and answered. */
const BEFORE: Record<ClientDialect, Json> = {
  chat: {
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: [{ id: "call_0", type: "function", function: named }] },
      { role: "tool", tool_call_id: "call_0", content: "1" },
    ],
  },
  messages: {
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "tool_use", id: "call_0", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: "1" }] },
    ],
  },
  responses: {
    input: [
      { role: "user", content: "hi" },
      { type: "function_call", call_id: "call_0", ...named },
      { type: "function_call_output", call_id: "call_0", output: "1" },
    ],
  },
};

const idsIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"(?:id|call_id)":"(call_\w+)"/g)].map(([, id]) => id as string);

describe.each(["messages", "responses"] as const)("to a %s caller", (client) => {
  const call = { type: "function", function: named };

  test("calls of a provider that gives no ids never have the id of a call before them", () => {
    const { whole, events } = cross(client, "chat", BEFORE[client]);
    const choice = { index: 0, message: { role: "assistant", tool_calls: [call, call] }, finish_reason: "tool_calls" };
    const chunk = { choices: [{ index: 0, delta: { tool_calls: [call, call] }, finish_reason: "tool_calls" }] };

    for (const answer of [whole({ choices: [choice] }), events(chunk)]) {
      const ids = new Set(idsIn(answer));
      expect(ids.size).toBe(2);
      expect(ids).not.toContain("call_0");
    }
  });

  test("an id of its provider's own stays as it is", () => {
    const answer = cross(client, "chat", BEFORE[client]).whole({
      choices: [{ index: 0, message: { tool_calls: [{ id: "call_new", ...call }] }, finish_reason: "tool_calls" }],
    });

    expect(idsIn(answer)).toEqual(["call_new"]);
  });
});

test("a messages provider that counts its calls anew does not repeat an id to a chat caller", () => {
  const answer = cross("chat", "messages", BEFORE.chat).whole({
    type: "message",
    content: [{ type: "tool_use", id: "call_0", name: "f", input: {} }],
    stop_reason: "tool_use",
  });

  expect(idsIn(answer)).toEqual([expect.stringMatching(/^call_0_\w+$/)]);
});

test("a fresh id is one that every provider takes, and a flood of calls is not looked up one by one", () => {
  let lookups = 0;
  const id = "0".repeat(20) + "0123456789ab";
  const fresh = createFreshCallIds({ id, mentions: () => ++lookups > 0, bodyBytes: 1 });
  const ids = Array.from({ length: 10_000 }, (_, index) => fresh(`${"x".repeat(60)}${index}`));

  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => id.length <= 40)).toBe(true);
  expect(lookups).toBeLessThan(1_000);
});

test("a large conversation is not read again for every call", () => {
  let lookups = 0;
  const fresh = createFreshCallIds({ id: "1", mentions: () => ++lookups < 0, bodyBytes: 33_554_432 });

  expect(Array.from({ length: 5 }, (_, index) => fresh(`call_${index}`))).toEqual([
    "call_0",
    "call_1",
    ...Array.from({ length: 3 }, () => expect.stringMatching(/^call_\d_1_\d$/)),
  ]);
  expect(lookups).toBe(2);
});
