import { expect, test } from "vitest";
import { readMessagesUsage } from "./messages-usage.ts";

const pass = (more: object = {}) => ({ input_tokens: 10, output_tokens: 2, type: "message", ...more });
const servedIn = (...iterations: object[]) =>
  readMessagesUsage({ input_tokens: 1, output_tokens: 1, iterations })?.served;

test("passes over a request are told with the models that made them, each once and a few at most", () => {
  const advised = servedIn(pass(), pass({ type: "advisor_message", model: "claude-opus-4-7" }), pass());
  const many = servedIn(...Array.from({ length: 50 }, (_, at) => pass({ model: `m${at % 9}` })));

  expect(advised).toEqual({ models: ["claude-opus-4-7"] });
  expect(many?.models).toHaveLength(4);
  expect(servedIn(pass(), pass())).toBeUndefined();
});

test("a name that is none is not repeated", () => {
  expect(servedIn(pass({ model: "a\nb" }), pass({ model: "x".repeat(99) }), pass({ model: 7 }))).toEqual({
    models: ["other"],
  });
});
