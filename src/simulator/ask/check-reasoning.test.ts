import { expect, test } from "vitest";
import { checkReasoning } from "./check-reasoning.ts";

const REASONING = { type: "reasoning", summary: [], encrypted_content: "x" };

test.each([
  ["chat", { reasoning_effort: "none" }, "reasoning_effort"],
  ["responses", { reasoning: { effort: "low" } }, "reasoning.effort"],
  ["responses", { reasoning: { effort: null, summary: "auto" } }, "reasoning.summary"],
  ["responses", { include: ["reasoning.encrypted_content"] }, "include"],
  ["responses", { input: [{ role: "user" }, REASONING] }, "input"],
  ["messages", { thinking: { type: "adaptive" } }, "thinking"],
  ["messages", { output_config: { effort: "low" } }, "output_config.effort"],
] as const)("a model that does not reason refuses to be asked to, in %s: %j", (dialect, body, param) => {
  expect(() => checkReasoning(dialect, body)).toThrow(expect.objectContaining({ status: 400, param }));
});

test.each([
  ["chat", { messages: [] }],
  ["responses", { input: "hi", reasoning: {}, include: ["message.output_text.logprobs"] }],
  ["messages", { thinking: { type: "disabled" }, output_config: { format: {} } }],
] as const)("and takes what does not ask for it, in %s: %j", (dialect, body) => {
  expect(() => checkReasoning(dialect, body)).not.toThrow();
});
