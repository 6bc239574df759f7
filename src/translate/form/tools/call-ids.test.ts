import { expect, test } from "vitest";
import { processorMs } from "../../../../tests/support/processor-time.ts";
import { cross } from "../../../../tests/support/cross.ts";
import { withCallIds } from "./call-ids.ts";
import type { Turn } from "../request-form.ts";

type Json = Record<string, unknown>;
const call = (id: string): Json => ({ id, type: "function", function: { name: "f", arguments: "{}" } });

/** An agent's conversation in the chat format: each list is a turn of parallel calls, all answered. */
function conversation(...turns: readonly string[][]): Json {
  const messages = turns.flatMap((ids) => [
    { role: "assistant", content: null, tool_calls: ids.map((id) => call(id)) },
    ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: `of ${id}` })),
  ]);
  return { messages: [{ role: "user", content: "hi" }, ...messages] };
}

const idsIn = (sent: Json): string[] =>
  [...JSON.stringify(sent).matchAll(/"(?:id|tool_use_id|tool_call_id|call_id)":"([^"]*)"/g)].map(([, id]) => id ?? "");

test("calls of several turns that share an id are told apart to a messages provider, which refuses an id that stands twice", () => {
  const ids = idsIn(cross("chat", "messages").sent(conversation(["call_0", "call_1"], ["call_0"], ["call_0"])));
  const [a, b, , , c, , d] = ids;

  expect(ids).toEqual([a, b, a, b, c, c, d, d]);
  expect([a, b]).toEqual(["call_0", "call_1"]);
  expect(new Set([a, b, c, d]).size).toBe(4);
});

test("ids that differ only in what a messages provider does not take stay different, and every one has something in it", () => {
  const ids = idsIn(cross("chat", "messages").sent(conversation(["f.1", "f:1", "::"])));

  expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  expect(new Set(ids).size).toBe(3);
  expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
});

test.each([
  ["chat", 40],
  ["responses", 64],
] as const)(
  "a %s provider is sent no id of more than %i characters, and results still name their calls",
  (provider, most) => {
    const long = ["x".repeat(80) + "1", "x".repeat(80) + "2"];
    const content = long.map((id) => ({ type: "tool_use", id, name: "f", input: {} }));
    const results = long.map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
    const body = {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content },
        { role: "user", content: results },
      ],
    };
    const ids = idsIn(cross("messages", provider).sent(body));

    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.length <= most)).toBe(true);
  },
);

test("the beginning of a conversation keeps its ids when it goes on", () => {
  const { sent } = cross("chat", "messages");
  const before = idsIn(sent(conversation(["a"], ["a"])));
  const after = idsIn(sent(conversation(["a"], ["a"], ["a"])));

  expect(after.slice(0, before.length)).toEqual(before);
});

const NINE = {
  quirks: { chat: { outputLimitField: "max_tokens", streamOptions: "refused", callIds: "nine" } },
} as const;

test("a chat provider that takes nine letters and digits alone is sent such ids, and those that are such stay", () => {
  const content = ["toolu_01A", "aB3dE6gH9", "toolu_01B", "toolu_01A"].map((id) => ({
    type: "tool_use",
    id,
    name: "f",
    input: {},
  }));
  const results = content.slice(0, 3).map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
  const body = {
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: content.slice(0, 3) },
      { role: "user", content: results },
      { role: "assistant", content: content.slice(3) },
      { role: "user", content: results.slice(0, 1) },
    ],
  };
  const { sent } = cross("messages", "chat");
  const ids = idsIn(sent(body, NINE));

  const [a, b, c, , , , d] = ids;
  expect(ids).toEqual([a, b, c, a, b, c, d, d]);
  expect(b).toBe("aB3dE6gH9");
  expect(new Set([a, b, c, d]).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(idsIn(sent({ messages: body.messages.slice(0, 3) }, NINE))).toEqual(ids.slice(0, 6));
});

test.each([{ most: 40 }, { exactly: 9 }])(
  "a hundred thousand calls under one id are told apart in a moment: %j",
  (rules) => {
    const blocks = Array.from({ length: 100_000 }, () => ({
      kind: "tool_call" as const,
      id: "a",
      name: "f",
      input: "",
    }));
    let turns: Turn[] = [];
    const spentMs = processorMs(() => (turns = withCallIds([{ role: "assistant", blocks }], rules)));
    const ids = new Set(turns[0]?.blocks.map((block) => (block.kind === "tool_call" ? block.id : "")));

    expect(ids.size).toBe(100_000);
    expect(spentMs).toBeLessThan(3_000);
  },
);
