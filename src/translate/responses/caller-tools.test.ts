import fc from "fast-check";
import { expect, test } from "vitest";
import { readCallerTools, toolsIn } from "./caller-tools.ts";

const fn = (name: string, more: object = {}) => ({ type: "function", name, ...more });
const group = (name: string, ...tools: object[]) => ({ type: "namespace", name, description: `About ${name}.`, tools });

test("the members of a namespace are functions of one flat name that leads back to them", () => {
  const { forms, calledBy } = readCallerTools({
    tools: [fn("wait"), group("agents", fn("wait", { description: "Waits." }), { type: "custom", name: "exec" })],
  });

  expect(forms.map(({ name }) => name)).toEqual(["wait", "agents__wait", "agents__exec"]);
  expect(forms[1]?.description).toBe("Waits.\n\nThis and every other `agents__…`: About agents.");
  expect(forms[2]?.description).toBeNull();
  expect(calledBy("wait")).toEqual({ kind: "function", name: "wait", namespace: null });
  expect(calledBy("agents__wait")).toEqual({ kind: "function", name: "wait", namespace: "agents" });
  expect(calledBy("agents__exec")).toEqual({ kind: "custom", name: "exec", namespace: "agents" });
});

test("a custom tool is a function of one text, and its grammar is told in words", () => {
  const format = { type: "grammar", syntax: "lark", definition: 'start: "x"+' };
  const { forms } = readCallerTools({ tools: [{ type: "custom", name: "patch", description: "Edits.", format }] });

  expect(forms).toEqual([
    {
      name: "patch",
      description: 'Edits.\n\n`input` must follow this Lark grammar:\nstart: "x"+',
      schema: {
        type: "object",
        properties: { input: { type: "string" } },
        required: ["input"],
      },
      strict: null,
      cacheHint: null,
    },
  ]);
});

test("a group of many tools is described once, so that no request grows beyond its tools", () => {
  const members = Array.from({ length: 1_000 }, (_, index) => fn(`f${index}`));
  const { forms } = readCallerTools({ tools: [{ ...group("g", ...members), description: "x".repeat(10_000) }] });

  expect(JSON.stringify(forms).length).toBeLessThan(200_000);
});

test("tools that items of the conversation bring are offered too, each once", () => {
  const brought = [group("clock", fn("sleep")), fn("found")];
  const { forms } = readCallerTools({
    tools: [fn("wait"), { type: "tool_search", execution: "client" }, { type: "tool_search" }, { type: "web_search" }],
    input: [
      { type: "additional_tools", role: "developer", tools: brought },
      { type: "tool_search_output", tools: [...brought, fn("wait")] },
    ],
  });

  expect(forms.map(({ name }) => name)).toEqual(["wait", "tool_search", "clock__sleep", "found"]);
});

test("a tool that waits for the caller's search is offered when it is found, and from the start when nobody searches", () => {
  const waiting = fn("late", { defer_loading: true });
  const search = { type: "tool_search", execution: "client" };
  const namesOf = (body: Record<string, unknown>) => readCallerTools(body).forms.map(({ name }) => name);

  expect(namesOf({ tools: [waiting, search] })).toEqual(["tool_search"]);
  expect(namesOf({ tools: [waiting, search], input: [{ tools: [waiting] }] })).toEqual(["tool_search", "late"]);
  expect(namesOf({ tools: [waiting, { type: "tool_search" }] })).toEqual(["late"]);
});

test("a name that a provider would not take is made one that it does, and leads back", () => {
  const long = "n".repeat(40);
  const { forms, calledBy } = readCallerTools({
    tools: [fn("a__b"), group("a", fn("b")), group(long, fn(long)), fn("dotted.name")],
  });
  const [, twin, cut, dotted] = forms.map(({ name }) => name);

  expect(twin).toMatch(/^a__b_[\da-f]{8}$/);
  expect(cut).toMatch(/^n{40}__n{13}_[\da-f]{8}$/);
  expect(dotted).toMatch(/^dotted_name_[\da-f]{8}$/);
  expect(calledBy(twin ?? "")).toEqual({ kind: "function", name: "b", namespace: "a" });
  expect(calledBy(dotted ?? "")).toEqual({ kind: "function", name: "dotted.name", namespace: null });
});

test("a tool keeps its name when the conversation brings others", () => {
  const tools = [group("a", fn("b"))];
  const before = readCallerTools({ tools, input: [] });
  const after = readCallerTools({ tools, input: [{ type: "additional_tools", tools: [group("a_", fn("_b"))] }] });

  expect(after.forms[0]?.name).toBe(before.forms[0]?.name);
});

test("no two tools have one name, every name is usable, and every name leads back to its tool", () => {
  const anyName = fc.oneof(fc.constantFrom("a", "b", "a__b", "_", "__", "a_"), fc.string({ maxLength: 80 }));
  const anyTool = fc.record({ type: fc.constantFrom("function", "custom"), name: anyName });
  const anyOffer = fc.oneof(
    anyTool,
    fc.record({ type: fc.constant("namespace"), name: anyName, tools: fc.array(anyTool, { maxLength: 4 }) }),
  );
  fc.assert(
    fc.property(fc.array(anyOffer, { maxLength: 8 }), fc.array(anyOffer, { maxLength: 8 }), (tools, more) => {
      const { nameOf, calledBy } = readCallerTools({ tools, input: [{ tools: more }] });
      const distinct = new Map([...toolsIn(tools), ...toolsIn(more)].map((tool) => [JSON.stringify(tool), tool]));
      const names = [...distinct.values()].map((tool) => nameOf(tool));

      expect(new Set(names).size).toBe(distinct.size);
      for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
      for (const tool of distinct.values()) expect(calledBy(nameOf(tool))).toEqual(tool);
    }),
  );
});
