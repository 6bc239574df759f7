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
