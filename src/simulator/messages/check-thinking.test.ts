import { expect, test } from "vitest";
import { checkThinking } from "./check-thinking.ts";

const enabled = { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2000 };
const adaptive = { thinking: { type: "adaptive" }, max_tokens: 9 };

const said = (...types: string[]) => ({
  messages: [{ role: "assistant", content: types.map((type) => ({ type })) }, { role: "user" }],
});

test.each([
  enabled,
  { ...enabled, ...said("thinking", "text", "tool_use") },
  { ...enabled, ...said("text") },
  { ...adaptive, ...said("tool_use") },
  adaptive,
  { ...adaptive, temperature: 1, tool_choice: { type: "auto" } },
  { thinking: { type: "disabled" }, temperature: 0, tool_choice: { type: "any" } },
  { temperature: 0.5, top_k: 3 },
])("thinking is taken with what may stand beside it: %j", (body) => {
  expect(() => checkThinking(body)).not.toThrow();
});

test.each([
  [{ ...adaptive, temperature: 0.5 }, "temperature"],
  [{ ...enabled, top_k: 3 }, "top_k"],
  [{ ...adaptive, tool_choice: { type: "any" } }, "tool_choice"],
  [{ ...enabled, tool_choice: { type: "tool", name: "look" } }, "tool_choice"],
  [{ ...enabled, thinking: { type: "enabled", budget_tokens: 1023 } }, "budget_tokens"],
  [{ ...enabled, thinking: { type: "enabled" } }, "budget_tokens"],
  [{ ...enabled, max_tokens: 1024 }, "max_tokens"],
  [{ ...enabled, ...said("text", "tool_use") }, "redacted_thinking"],
])("thinking is refused beside what may not: %j", (body, named) => {
  expect(() => checkThinking(body)).toThrow(named);
});
