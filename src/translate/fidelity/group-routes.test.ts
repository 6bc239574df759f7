import { expect, test } from "vitest";
import { callerStamp, seal } from "../../../tests/support/seals.ts";
import type { ClientDialect, ProviderDialect } from "../../core/request/dialect.ts";
import { groupRoutes, type Fidelity, groupOf } from "./group-routes.ts";

const CHAT = { messages: [{ role: "user", content: "hi" }] };

type Ask = {
  dialect?: ClientDialect;
  body?: object;
  routes: readonly ProviderDialect[];
  wanted?: Fidelity;
  reasoning?: boolean;
};

function groupsOf({ dialect = "chat", body = CHAT, routes, wanted = "declared", reasoning = true }: Ask) {
  const bytes = Buffer.from(JSON.stringify({ model: "m", ...body }));
  const targets = routes.map((route) => ({ dialect: route }));
  const groups = groupRoutes({ dialect, bytes, stamp: callerStamp() }, { routes: targets, reasoning }, wanted);
  const told = [groups.best, ...groups.others()]
    .flatMap((group) => group.routes)
    .map((route) => `${route.dialect}: ${groupOf(groups, route).fidelity}`);
  const others = groups.others().map((group) => group.routes.map((route) => route.dialect).join());
  return {
    chosen: groups.best.routes.map((route) => route.dialect),
    fidelity: groups.best.fidelity,
    others,
    told,
  };
}

test("a route of the caller's own format is taken before any other, and loses nothing", () => {
  const body = { ...CHAT, seed: 1, n: 3 };

  expect(groupsOf({ body, routes: ["messages", "chat"], wanted: "strict" })).toMatchObject({
    chosen: ["chat"],
    fidelity: "exact",
  });
});

test("of the routes of other formats those are taken on which the least is lost", () => {
  expect(groupsOf({ body: { ...CHAT, stop: "END" }, routes: ["responses", "messages"] })).toEqual({
    chosen: ["messages"],
    fidelity: "translated",
    others: ["responses"],
    told: ["messages: translated", "responses: translated; dropped=stop"],
  });
});

test("when the routes of the caller's format fail there are those of others, each with what it loses", () => {
  const routes: ProviderDialect[] = ["responses", "chat", "messages", "chat"];

  expect(groupsOf({ body: { ...CHAT, stop: "END", seed: 1 }, routes })).toEqual({
    chosen: ["chat", "chat"],
    fidelity: "exact",
    others: ["messages", "responses"],
    told: [
      "chat: exact",
      "chat: exact",
      "messages: translated; dropped=seed",
      "responses: translated; dropped=stop,seed",
    ],
  });
});

test("there is no other way for a request that would become another one on it, nor with losses for a strict caller", () => {
  const routes: ProviderDialect[] = ["chat", "messages", "responses"];

  expect(groupsOf({ body: { ...CHAT, n: 2 }, routes }).others).toEqual([]);
  expect(groupsOf({ body: { ...CHAT, stop: "END" }, routes, wanted: "strict" }).others).toEqual(["messages"]);
});

test("what is lost is declared by name, fields we have never heard of included", () => {
  const body = { ...CHAT, temperature: 1.5, seed: 1, logprobs: false, brand_new: 1, "a\r\nb": 1, absent: null };

  expect(groupsOf({ body, routes: ["messages"] }).fidelity).toBe(
    "translated; dropped=temperature,seed,brand_new,unknown",
  );
});

test("a member we have never heard of is declared wherever it stands", () => {
  const body = {
    messages: [{ role: "user", content: [{ type: "text", text: "hi", shiny: 1 }], odd: 1, empty: null }],
    tools: [{ type: "function", function: { name: "f", newer: true } }],
  };

  expect(groupsOf({ body, routes: ["responses"] }).fidelity).toBe(
    "translated; dropped=messages.*.odd,messages.*.content.*.shiny,tools.*.function.newer",
  );
});

test("a caller that asked for strict fidelity is told which field stands in the way", () => {
  const body = { messages: [{ role: "user", content: "hi", name: "Ann" }] };

  expect(() => groupsOf({ body, routes: ["messages"], wanted: "strict" })).toThrow(
    expect.objectContaining({ code: "invalid_request", param: "messages.0.name" }),
  );
  expect(groupsOf({ routes: ["messages"], wanted: "strict" }).fidelity).toBe("translated");
});

test.each<[param: string, ask: Ask]>([
  ["n", { body: { ...CHAT, n: 2 }, routes: ["messages"] }],
  [
    "messages.0.content.1.type",
    {
      body: { messages: [{ role: "user", content: [{ type: "text", text: "x" }, { type: "video_url" }] }] },
      routes: ["responses"],
    },
  ],
  [
    "messages.0.content.0",
    {
      dialect: "messages",
      body: { messages: [{ role: "user", content: [{ type: "document", source: { type: "url", url: "u" } }] }] },
      routes: ["chat"],
    },
  ],
  ["input.0.type", { dialect: "responses", body: { input: [{ type: "computer_call" }] }, routes: ["chat"] }],
])("a request that would become another one is refused at %s", (param, ask) => {
  expect(() => groupsOf(ask)).toThrow(expect.objectContaining({ code: "invalid_request", param }));
});

test("what a model without reasoning would refuse is lost on translated ways alone, and refused to a strict caller by name", () => {
  const ask = {
    dialect: "messages",
    body: { ...CHAT, thinking: { type: "enabled", budget_tokens: 2_000 }, output_config: { effort: "high" } },
    reasoning: false,
  } as const;

  expect(groupsOf({ ...ask, routes: ["chat"] }).fidelity).toBe("translated; dropped=thinking,output_config.effort");
  expect(groupsOf({ ...ask, routes: ["chat", "messages"] }).told).toEqual([
    "messages: exact",
    "chat: translated; dropped=thinking,output_config.effort",
  ]);
  expect(() => groupsOf({ ...ask, routes: ["chat"], wanted: "strict" })).toThrow(
    expect.objectContaining({ code: "invalid_request", param: "thinking" }),
  );
  expect(groupsOf({ ...ask, routes: ["chat"], wanted: "strict", reasoning: true }).fidelity).toBe("translated");
});

test("what another provider's format has sealed is lost, and what this one's has is not", () => {
  const sealed = (dialect: ProviderDialect): string => seal({ dialect, value: {} });
  const turn = (signature: string): object => ({
    messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "", signature }] }],
  });
  const fidelity = (signature: string): string =>
    groupsOf({ dialect: "messages", body: turn(signature), routes: ["chat"] }).fidelity;

  expect(fidelity(sealed("chat"))).toBe("translated");
  expect(fidelity(sealed("responses"))).toBe("translated; dropped=messages.*.content.*.signature");
  const forgery = sealed("chat").replace(/.{22}$/, "A".repeat(22));
  expect(fidelity(forgery)).toBe("translated; dropped=messages.*.content.*.signature");
  expect(fidelity("bmF0aXZl")).toBe("translated; dropped=messages.*.content.*.signature");
});

test("a model without routes fails later, as unavailable", () => {
  expect(groupsOf({ routes: [] })).toMatchObject({ chosen: [], fidelity: "exact" });
});

test("what a messages model takes no word about is declared of the way on which it stands", () => {
  const sampled = Buffer.from(JSON.stringify({ model: "m", ...CHAT, temperature: 0.5, top_p: 1 }));
  const fidelityOf = (bytes: Buffer, ...models: string[]): string => {
    const routes = models.map((upstreamModel) => ({ dialect: "messages" as const, upstreamModel }));
    return groupRoutes({ dialect: "chat", bytes }, { routes, reasoning: true }, "declared").best.fidelity;
  };

  expect(fidelityOf(sampled, "claude-opus-4-6")).toBe("translated; dropped=top_p");
  expect(fidelityOf(sampled, "claude-opus-4-7")).toBe("translated; dropped=temperature,top_p");
  expect(fidelityOf(sampled, "claude-opus-4-6", "claude-opus-4-7")).toBe("translated; dropped=temperature,top_p");
  const ordinary = Buffer.from(JSON.stringify({ model: "m", ...CHAT, temperature: 1 }));
  expect(fidelityOf(ordinary, "claude-opus-4-7")).toBe("translated");
});

const CALLED = [
  { role: "user", content: "hi" },
  { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }] },
  { role: "tool", tool_call_id: "a", content: "ok" },
];
const ITEMS = [
  { role: "user", content: "hi" },
  { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
  { type: "function_call_output", call_id: "a", output: "ok" },
];

test.each([
  ["amid calls without thinking", "chat", { messages: CALLED, reasoning_effort: "low" }, "reasoning_effort"],
  ["with too low a limit", "chat", { ...CHAT, reasoning_effort: "low", max_tokens: 1_000 }, "reasoning_effort"],
  ["amid calls without thinking", "responses", { input: ITEMS, reasoning: { effort: "low" } }, "reasoning"],
  [
    "with too low a limit",
    "responses",
    { input: "hi", reasoning: { effort: "low" }, max_output_tokens: 1_000 },
    "reasoning",
  ],
] as const)("thinking by a budget that is not asked for %s is declared to a %s caller", (_, dialect, body, lost) => {
  const bytes = Buffer.from(JSON.stringify({ model: "m", ...body }));
  const fidelityOf = (upstreamModel: string): string => {
    const routes = [{ dialect: "messages" as const, upstreamModel }];
    return groupRoutes({ dialect, bytes, stamp: callerStamp() }, { routes, reasoning: true }, "declared").best.fidelity;
  };

  expect(fidelityOf("claude-sonnet-4-5")).toBe(`translated; dropped=${lost}`);
  expect(fidelityOf("claude-opus-4-6")).toBe("translated");
});
