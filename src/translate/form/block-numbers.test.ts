import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { AnswerLimitError } from "../../core/request/answer-limit.ts";

type Json = Record<string, unknown>;

/** A chat provider that thinks and speaks by turns, so that each is a block of its own. */
const turns = (many: number): Json[] =>
  Array.from({ length: many }, (_, turn) => ({
    choices: [{ index: 0, delta: turn % 2 === 0 ? { reasoning_content: "." } : { content: "x" } }],
  }));
const END = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };

test("an answer of very many blocks is told whole or fails, and is never told in part as if it were whole", () => {
  const { events, whole } = cross("responses", "chat");
  const told = events(...turns(2_000), END);
  const deltas = (told ?? []).filter(({ type }) => type === "response.output_text.delta");
  const calls = Array.from({ length: 12_000 }, (_, index) => ({
    id: `c${index}`,
    type: "function",
    function: { name: "f", arguments: "{}" },
  }));
  const answer = whole({ choices: [{ index: 0, message: { tool_calls: calls }, finish_reason: "tool_calls" }] });

  expect(deltas).toHaveLength(1_000);
  expect(() => events(...turns(20_002), END)).toThrow(AnswerLimitError);
  expect(answer["output"]).toHaveLength(12_000);
});
