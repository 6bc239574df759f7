import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { processorMs } from "../../../tests/support/processor-time.ts";
import { type AnswerEvent, createFold } from "../form/answer-form.ts";
import { createBlockNumbers } from "../form/block-numbers.ts";
import { createChatReader } from "./answer-to-form.ts";
import { createToolCalls } from "./tool-calls.ts";

type Fragment = { index?: number; id?: string; name?: string; text: string };

/** A chat stream of these fragments, one per chunk, as the form has it in the end. */
function foldOf(fragments: readonly Fragment[]): string[] {
  const reader = createChatReader();
  const { answer, add } = createFold();
  const push = (data: string): void => {
    const events: readonly AnswerEvent[] = reader.read(Buffer.from(`data: ${data}\n\n`)) ?? [];
    for (const event of events) add(event);
  };
  for (const { index, id, name, text } of fragments) {
    const call = { index, id, type: "function", function: { name, arguments: text } };
    push(JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }));
  }
  push("[DONE]");
  for (const event of reader.close() ?? []) add(event);
  return answer.blocks.map(({ head, text }) =>
    head.kind === "tool_call" ? `${head.id} ${head.name} ${text}` : head.kind,
  );
}

test("calls written in turns never run into each other, however their fragments are mixed", () => {
  const turns = fc.array(fc.tuple(fc.nat(4), fc.string({ maxLength: 4 })), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(turns, (given) => {
      const seen = new Set<number>();
      const fragments = given.map(([index, text]): Fragment => {
        const first = !seen.has(index);
        seen.add(index);
        return first ? { index, id: `id${index}`, name: `f${index}`, text } : { index, text };
      });
      const whole = (index: number): string => given.map(([at, text]) => (at === index ? text : "")).join("");

      expect(foldOf(fragments)).toEqual([...seen].map((index) => `id${index} f${index} ${whole(index)}`));
    }),
  );
});

test("calls that all claim the same index, or none, are told apart by their ids", () => {
  const calls = [{ id: "a", name: "f", text: "{}" }, { id: "b", name: "g", text: '{"x":' }, { text: "1}" }];

  expect(foldOf(calls)).toEqual(["a f {}", 'b g {"x":1}']);
  expect(foldOf(calls.map((call) => ({ ...call, index: 0 })))).toEqual(["a f {}", 'b g {"x":1}']);
});

test("calls that have neither an index nor an id are told apart by their names", () => {
  const calls = [{ name: "f", text: "{}" }, { name: "f", text: '{"x":' }, { text: "1}" }, { name: "g", text: "{}" }];

  expect(foldOf(calls)).toEqual(["call_0 f {}", 'call_1 f {"x":1}', "call_2 g {}"]);
  expect(foldOf(calls.map((call) => ({ ...call, id: "" })))).toEqual(foldOf(calls));
});

test("a name that is repeated with every fragment of an indexed call is no other call", () => {
  expect(
    foldOf([
      { index: 0, name: "f", text: '{"x"' },
      { index: 0, name: "f", text: ":1}" },
    ]),
  ).toEqual(['call_0 f {"x":1}']);
});

test("a name that comes after the first arguments loses none of them", () => {
  expect(
    foldOf([
      { index: 0, id: "a", text: '{"x"' },
      { index: 0, name: "f", text: ":1}" },
    ]),
  ).toEqual(['a f {"x":1}']);
});

test("a hundred thousand calls of a provider that numbers none of them are told apart in a moment", () => {
  const blocks = createBlockNumbers<string>();
  const calls = createToolCalls(blocks);
  let told = 0;
  const spentMs = processorMs(() => {
    for (let index = 0; index < 100_000; index++)
      told += calls.read({ id: `c${index}`, function: { name: "f" } }).length;
  });

  expect(told).toBe(100_000);
  expect(spentMs).toBeLessThan(3_000);
});

describe.each(["messages", "responses"] as const)("a %s caller of a chat provider", (client) => {
  const { events, whole } = cross(client, "chat");
  const chunk = (delta: object, reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const answer = (call: object) => ({
    choices: [{ index: 0, message: { content: "hi", tool_calls: [call] }, finish_reason: "tool_calls" }],
  });

  test("is told that the provider failed when a call never says which tool it is of", () => {
    const nameless = { index: 0, id: "a", function: { arguments: "{}" } };

    expect(events(chunk({ tool_calls: [nameless] }), chunk({}, "tool_calls"))).toBeNull();
    expect(() => whole(answer(nameless))).toThrow("without a name");
  });

  test("is given an answer beside which an empty call stands that calls nothing", () => {
    const empty = { index: 0, function: {} };

    expect(JSON.stringify(events(chunk({ content: "hi", tool_calls: [empty] }), chunk({}, "stop")))).toContain("hi");
    expect(JSON.stringify(whole(answer(empty)))).toContain("hi");
  });
});
