import { describe, expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { lossesOf } from "../fidelity/losses.ts";

type Json = Record<string, unknown>;

const OWN = { name: "look_up", input_schema: { type: "object", properties: {} } };
const SHELL = { type: "bash_20250124", name: "bash" };
const demand = (name: string): Json => ({ type: "tool", name });

describe.each(["chat", "responses"] as const)("a messages caller of a %s provider", (provider) => {
  const { sent } = cross("messages", provider);
  const lost = (body: Json): string[] => lossesOf("messages", provider, body).dropped.map(({ path }) => path);

  test("demands no tool that is lost on the way, is told so, and has no other called in its place", () => {
    const body = { tools: [OWN, SHELL], tool_choice: { ...demand("bash"), disable_parallel_tool_use: true } };

    const told = sent(body);
    expect(told["tools"]).toHaveLength(1);
    expect(told).not.toHaveProperty("tool_choice");
    expect(told["parallel_tool_calls"]).toBe(false);
    expect(lost(body)).toEqual(["tools.*.type", "tool_choice"]);
  });

  test("demands any tool of those that are left", () => {
    const body = { tools: [OWN, SHELL], tool_choice: { type: "any" } };

    expect(sent(body)["tool_choice"]).toBe("required");
    expect(lost(body)).toEqual(["tools.*.type"]);
  });

  test("demands a tool that is not lost, whatever else is", () => {
    const body = { tools: [OWN, SHELL], tool_choice: demand("look_up") };

    expect(JSON.stringify(sent(body)["tool_choice"])).toContain("look_up");
    expect(lost(body)).toEqual(["tools.*.type"]);
  });

  test("is left to the provider's refusal when it demands a tool that nobody has offered", () => {
    const body = { tools: [OWN], tool_choice: demand("look_upp") };

    expect(JSON.stringify(sent(body)["tool_choice"])).toContain("look_upp");
    expect(lost(body)).toEqual([]);
  });

  test("has a tool offered that it demands, though no search has found it yet", () => {
    const waiting = { ...OWN, name: "late", defer_loading: true };
    const body = { tools: [OWN, waiting, { ...waiting, name: "later" }], tool_choice: demand("late") };

    expect(JSON.stringify(sent(body)["tools"])).toContain('"late"');
    expect(JSON.stringify(sent(body)["tools"])).not.toContain('"later"');
    expect(lost(body)).toEqual([]);
  });
});

test.each(["chat", "messages"] as const)(
  "a responses caller of a %s provider has a waiting tool offered that it demands",
  (provider) => {
    const late = { type: "function", name: "late", parameters: {}, defer_loading: true };
    const inGroup = { type: "namespace", name: "group", tools: [{ ...late, name: "inner" }] };
    const tools = [
      { type: "tool_search", execution: "client", parameters: {} },
      late,
      { ...late, name: "later" },
      inGroup,
    ];
    const { sent } = cross("responses", provider);
    const offered = (choice: Json): string => JSON.stringify(sent({ tools, tool_choice: choice })["tools"]);

    expect(offered({ type: "function", name: "late" })).toContain('"late"');
    expect(offered({ type: "function", name: "late" })).not.toMatch(/later|inner/);
    expect(offered({ type: "function", name: "inner", namespace: "group" })).toContain("inner");
  },
);
