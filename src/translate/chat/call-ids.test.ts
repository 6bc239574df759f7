import { expect, test } from "vitest";
import { readChatRequest } from "../../wire/chat/chat-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import type { ChatQuirks } from "../../wire/chat/chat-quirks.ts";
import { chatUpstreamRequest } from "./upstream-request.ts";

const QUIRKS: ChatQuirks = { outputLimitField: "max_tokens", streamOptions: "accepted", callIds: "nine" };

function sentFor(text: string, quirks: Partial<ChatQuirks> = {}): string {
  const request = readChatRequest(parseBody(Buffer.from(text), 64));
  const chat = { ...QUIRKS, ...quirks };
  return chatUpstreamRequest(request, { upstreamModel: "m", maxOutputTokens: null, quirks: { chat } }).toString();
}

/** A body as a person would write it, with spaces that nobody else would; the number is one that no double holds. */
const bodyWith = (...ids: readonly string[]): string =>
  `{ "model": "m",  "messages": [ {"role":"user","content":"hi"}, {"role":"assistant","content":null,"tool_calls":[${ids
    .map((id) => `{"id":"${id}","type":"function","function":{"name":"f","arguments":"{}"},"x":12345678901234567890}`)
    .join(
      ",",
    )}]}, ${ids.map((id) => `{"role":"tool","tool_call_id":"${id}","content":"of ${id}"}`).join(", ")} ],  "seed": 1 }`;

const idsIn = (text: string): string[] =>
  [...text.matchAll(/"(?:id|tool_call_id)":"([^"]*)"/g)].map(([, id]) => id ?? "");

test("ids from elsewhere are sent as a provider of nine letters and digits takes them, and results find their calls", () => {
  const text = sentFor(bodyWith("call_PTLP8xhu3uwZk4l3", "aB3dE6gH9", "call_1"));
  const ids = idsIn(text);

  expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  expect(ids[1]).toBe("aB3dE6gH9");
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(text).toContain("12345678901234567890");
  expect(text).toContain("of call_PTLP8xhu3uwZk4l3");
  expect(text).toContain('],  "seed": 1 }');
});

test("a conversation whose ids fit, or that has none, or for a provider that takes any, is sent byte for byte", () => {
  const fitting = bodyWith("aB3dE6gH9", "000000000", "aB3dE6gH9");
  const without = '{ "model": "m",  "messages": [ {"role":"user","content":"tool_call","name":"tool_call"} ] }';

  expect(sentFor(fitting)).toBe(fitting);
  expect(sentFor(without)).toBe(without);
  expect(sentFor(bodyWith("call_1"), { callIds: "any" })).toBe(bodyWith("call_1"));
});

test("the beginning of a conversation keeps its ids when it goes on", () => {
  const [first] = idsIn(sentFor(bodyWith("call_1")));

  expect(idsIn(sentFor(bodyWith("call_1", "call_2")))[0]).toBe(first);
});

test("what else is changed in a conversation on its way stays changed", () => {
  const request = readChatRequest(parseBody(Buffer.from(bodyWith("call_1")), 64));
  const messages = JSON.stringify([{ role: "assistant", content: "cleaned", tool_calls: [{ id: "call_1" }] }]);
  const sent = chatUpstreamRequest(
    { ...request, edits: { ...request.edits, messages } },
    { upstreamModel: "m", maxOutputTokens: null, quirks: { chat: QUIRKS } },
  ).toString();

  expect(sent).toContain("cleaned");
  expect(sent).not.toContain("call_1");
});

test("a conversation of odd parts reaches the provider with its ids replaced and its oddities kept", () => {
  const odd =
    '{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"call_1","function":{"name":"f","arguments":"7"},"__proto__":{"a":1}}]}]}';

  expect(sentFor(odd)).toMatch(
    /"tool_calls":\[\{"id":"[a-zA-Z0-9]{9}","function":\{"name":"f","arguments":"7"\},"__proto__":\{"a":1\}\}\]/,
  );
});
