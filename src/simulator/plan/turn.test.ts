import { expect, test } from "vitest";
import { DEFAULT_SCRIPT } from "./script.ts";
import { createTakeTurn } from "./turn.ts";

const calling = { ...DEFAULT_SCRIPT, tool: "read", tools: ["read", "write"], toolOnce: true };
const failing = { ...DEFAULT_SCRIPT, interruption: { kind: "error" as const, afterTokens: 3 }, failures: 2 };

test.each([
  ["chat", { messages: [{ role: "user", content: "x" }] }, { messages: [{ role: "tool", content: "found" }] }],
  [
    "messages",
    { messages: [{ role: "user", content: [{ type: "text", text: "x" }] }] },
    { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] }] },
  ],
  ["responses", { input: "x" }, { input: [{ type: "function_call_output", call_id: "c", output: "found" }] }],
])("in %s a tool is called until its result is in the conversation", (name, before, after) => {
  const takeTurn = createTakeTurn();

  expect(takeTurn({ script: calling, name, body: before }).tool).toBe("read");
  expect(takeTurn({ script: calling, name, body: after })).toMatchObject({ tool: null, tools: [] });
});

test("without `once` a tool is called again and again", () => {
  const script = { ...calling, toolOnce: false };

  expect(createTakeTurn()({ script, name: "m", body: { messages: [{ role: "tool" }] } }).tool).toBe("read");
});

test("so many calls fail as the script says, each model for itself, and those after them are whole", () => {
  const takeTurn = createTakeTurn();
  const broken = (name: string) => takeTurn({ script: failing, name, body: {} }).interruption !== null;

  expect([broken("a"), broken("a"), broken("a")]).toEqual([true, true, false]);
  expect(broken("b")).toBe(true);
});

const schema = { type: "object", properties: { city: { type: "string" } } };
const OFFERED = {
  chat: { tools: ["look", "find"].map((name) => ({ type: "function", function: { name, parameters: schema } })) },
  responses: { tools: ["look", "find"].map((name) => ({ type: "function", name, parameters: schema })) },
  messages: { tools: ["look", "find"].map((name) => ({ name, input_schema: schema })) },
  gemini: { tools: [{ functionDeclarations: ["look", "find"].map((name) => ({ name, parameters: schema })) }] },
};
const google = (config: object) => ({ toolConfig: { functionCallingConfig: config } });

test.each([
  ["chat", { tool_choice: { type: "function", function: { name: "find" } } }, "find"],
  ["chat", { tool_choice: "required" }, "look"],
  ["responses", { tool_choice: { type: "function", name: "find" } }, "find"],
  ["responses", { tool_choice: "required" }, "look"],
  ["messages", { tool_choice: { type: "tool", name: "find" } }, "find"],
  ["messages", { tool_choice: { type: "any" } }, "look"],
  ["gemini", google({ mode: "ANY", allowedFunctionNames: ["find"] }), "find"],
  ["gemini", google({ mode: "ANY" }), "look"],
] as const)("in %s %j is heeded, with arguments that fit", (dialect, choice, tool) => {
  const turn = createTakeTurn()({ script: DEFAULT_SCRIPT, name: "m", body: { ...OFFERED[dialect], ...choice } });

  expect(turn).toMatchObject({ tool, toolArguments: '{"city":"amber harbor"}' });
});

test.each([
  ["chat", { tool_choice: "none" }],
  ["responses", { tool_choice: "none" }],
  ["messages", { tool_choice: { type: "none" } }],
  ["gemini", google({ mode: "NONE" })],
] as const)("in %s no tool is called after %j", (dialect, choice) => {
  const turn = createTakeTurn()({ script: calling, name: "m", body: { ...OFFERED[dialect], ...choice } });

  expect(turn).toMatchObject({ tool: null, tools: [] });
});

test.each(["auto", { type: "auto" }, undefined])("a choice of %j leaves the script as it is", (choice) => {
  const body = { ...OFFERED.chat, tool_choice: choice };

  expect(createTakeTurn()({ script: calling, name: "m", body })).toBe(calling);
  expect(createTakeTurn()({ script: DEFAULT_SCRIPT, name: "m", body })).toBe(DEFAULT_SCRIPT);
});
