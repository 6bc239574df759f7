import { expect, test } from "vitest";
import { type AskedTool, mostCallsOf, providerCallsOf, tokensOfCall } from "./provider-tools.ts";

const model = (capabilities: Record<string, unknown>, ...names: string[]) => ({
  capabilities,
  routes: names.map((upstreamModel) => ({ upstreamModel })),
});
const asks = (name: AskedTool["name"], most: number | null): AskedTool => ({ name, at: "tools.0.type", most });

test("what the operator says of a model stands before what is known of its family", () => {
  expect(mostCallsOf(model({}))).toBe(8);
  expect(mostCallsOf(model({ search_calls: 3 }))).toBe(3);
  expect(mostCallsOf(model({ search_calls: 1e9 }))).toBe(1_000);
  for (const odd of [0, -1, 1.5, "3", null]) expect(mostCallsOf(model({ search_calls: odd }))).toBe(8);
  expect(tokensOfCall(model({}, "claude-opus-5", "us.anthropic.claude-opus-5-v1:0"))).toBe(25_000);
  expect(tokensOfCall(model({}, "openai/gpt-5.6-sol"))).toBe(16_000);
  expect(tokensOfCall(model({}, "gpt-5.6", "claude-opus-5"))).toBe(25_000);
  expect(tokensOfCall(model({}, "claude-opus-5", "house-model"))).toBeNull();
  expect(tokensOfCall(model({}))).toBeNull();
  expect(tokensOfCall(model({ search_tokens: 8_000 }, "house-model"))).toBe(8_000);
});

test("where no request can cap searches, a caller's own cap bounds nothing", () => {
  const google = { ...model({}), routes: [{ upstreamModel: "gemini-3-flash", dialect: "gemini" as const }] };

  expect(providerCallsOf([asks("web_search", 2)], google)).toEqual({
    tools: ["web_search"],
    most: 8,
    tokensEach: 2_000,
  });
  expect(providerCallsOf([{ ...asks("web_search", 1), always: true }], google)?.most).toBe(8);
});

test("a caller's own cap is kept if it is the lower, and each tool has one", () => {
  const shown = model({ search_calls: 5 }, "claude-opus-5");
  const most = (...asked: AskedTool[]): number | undefined => providerCallsOf(asked, shown)?.most;

  expect(most(asks("web_search", null))).toBe(5);
  expect(most(asks("web_search", 2))).toBe(2);
  expect(most(asks("web_search", 8))).toBe(5);
  expect(most(asks("web_search", 2), asks("web_fetch", null))).toBe(7);
  // What searches once for each answer is not told a cap.
  expect(most({ ...asks("web_search", 9), always: true })).toBe(9);
  expect(providerCallsOf([], shown)).toBeNull();
  expect(providerCallsOf(undefined, shown)).toBeNull();
});
