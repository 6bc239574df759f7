import { expect, test } from "vitest";
import { lossesOf } from "../losses.ts";

const droppedOf = (body: Record<string, unknown>): string[] =>
  lossesOf("responses", "messages", { input: "hi", ...body }).dropped.map(({ path }) => path);

const GROUP = { type: "namespace", name: "agents", description: "", tools: [{ type: "function", name: "wait" }] };

test("tools that the caller runs are not lost, whatever their kind", () => {
  const tools = [
    { type: "function", name: "f", parameters: {}, strict: false },
    { type: "custom", name: "c", format: { type: "text" } },
    { type: "tool_search", execution: "client", parameters: {} },
    GROUP,
  ];

  expect(droppedOf({ tools, tool_choice: { type: "custom", name: "c" } })).toEqual([]);
  expect(droppedOf({ input: [{ type: "additional_tools", role: "developer", tools }] })).toEqual([]);
});

test("what is lost of tools is declared: grammars, hosted kinds, what nobody reads", () => {
  const grammar = { type: "grammar", syntax: "lark", definition: "" };
  const tools = [
    { type: "custom", name: "c", format: grammar },
    { type: "local_shell" },
    { type: "tool_search" },
    { ...GROUP, tools: [{ type: "function", name: "wait", async: true }, { type: "shell" }] },
  ];

  expect(droppedOf({ tools })).toEqual([
    "tools.*.type",
    "tools.*.tools.*.type",
    "tools.*",
    "tools.*.format",
    "tools.*.tools.*.async",
  ]);
});

test("a name so long that it would grow the request with every tool is refused", () => {
  const long = "n".repeat(129);
  const refusedIn = (tools: object[]): string | undefined => lossesOf("responses", "chat", { tools }).refused?.at;

  expect(refusedIn([{ ...GROUP, name: long }])).toBe("tools.0.name");
  expect(refusedIn([{ ...GROUP, tools: [{ type: "custom", name: long }] }])).toBe("tools.0.tools.0.name");
  expect(refusedIn([{ ...GROUP, name: "n".repeat(128) }])).toBeUndefined();
});

test("a conversation with calls that cannot be told to the provider is refused, and one with a hosted search is not", () => {
  const search = { type: "tool_search_call", execution: "server", call_id: null, arguments: {} };
  const refusedOf = (item: object): string | undefined => lossesOf("responses", "chat", { input: [item] }).refused?.at;

  expect(refusedOf({ type: "local_shell_call", call_id: "a", action: {} })).toBe("input.0.type");
  expect(refusedOf({ type: "custom_tool_call", call_id: "a", name: "c", input: "" })).toBeUndefined();
  expect(refusedOf(search)).toBeUndefined();
  expect(droppedOf({ input: [search] })).toEqual(["input.*.execution"]);
});
