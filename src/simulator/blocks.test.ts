import { expect, test } from "vitest";
import type { Dialect, JsonObject } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";
import { planGeneration, saidAfter } from "./plan/generation.ts";
import { DEFAULT_SCRIPT, parseSettings } from "./plan/script.ts";

const body = { model: "sim", messages: [{ role: "user", content: "x" }], input: "x", max_tokens: 1000 };

const bodyOf = ({ name }: Dialect): JsonObject => {
  if (name === "converse") return { messages: [{ role: "user", content: [{ text: "x" }] }] };
  return name === "gemini" ? { contents: [{ parts: [{ text: "x" }] }] } : body;
};

function plan(dialect: Dialect, settings: string, extra: JsonObject = {}) {
  const script = { ...DEFAULT_SCRIPT, ...parseSettings(settings) };
  return planGeneration({ ask: dialect.read({ ...bodyOf(dialect), ...extra }), script, id: "0", nowMs: 0 });
}

const kindsOf = (settings: string, extra: JsonObject = {}) =>
  plan(DIALECTS.chat, settings, extra).groups.map((group) => group.map(({ kind, tokens }) => `${kind} ${tokens}`));

test("an answer is thoughts, words and calls, in that order", () => {
  expect(kindsOf("tokens=4")).toEqual([["text 4"]]);
  expect(kindsOf("tokens=4+thinking=2")).toEqual([["thinking 2"], ["text 4"]]);
  expect(kindsOf("tokens=4+thinking=2+words=3+tools=a,b")).toEqual([
    ["thinking 2"],
    ["text 3"],
    ["call 4"],
    ["call 4"],
  ]);
  expect(kindsOf("tokens=4+tools=a,b+interleaved")).toEqual([["call 4", "call 4"]]);
});

test("the caller's limit is spent on the blocks in order, and those it does not reach are not begun", () => {
  const script = "tokens=4+thinking=2+tools=a,b";

  expect(kindsOf(script, { max_tokens: 10 })).toEqual([["thinking 2"], ["call 4"], ["call 4"]]);
  expect(kindsOf(script, { max_tokens: 7 })).toEqual([["thinking 2"], ["call 4"], ["call 1"]]);
  expect(kindsOf(script, { max_tokens: 6 })).toEqual([["thinking 2"], ["call 4"]]);
  expect(kindsOf(script, { max_tokens: 1 })).toEqual([["thinking 1"]]);
  expect(plan(DIALECTS.chat, script, { max_tokens: 6 })).toMatchObject({ tokens: 6, stop: { reason: "length" } });
});

test("of calls side by side the limit leaves the first a token ahead", () => {
  expect(kindsOf("tokens=4+tools=a,b,c+interleaved", { max_tokens: 5 })).toEqual([["call 2", "call 2", "call 1"]]);
  expect(kindsOf("tokens=4+tools=a,b+interleaved", { max_tokens: 1 })).toEqual([["call 1"]]);
});

test("what has been said after so many tokens goes on through the blocks", () => {
  const generation = plan(DIALECTS.chat, "thinking=2+tokens=3");

  expect(saidAfter(generation, 4)).toBe("Considering harboramber harbor");
});

test("calls side by side take turns in chat, each under its own index", () => {
  const { stretches } = DIALECTS.chat.encode(plan(DIALECTS.chat, "tokens=3+tools=a,b+interleaved"));
  const { tokens, token } = stretches[0] ?? { tokens: 0, token: () => "" };
  const indexes = Array.from({ length: tokens }, (_, place) => /"tool_calls":\[\{"index":(\d)/.exec(token(place))?.[1]);

  expect(indexes.join("")).toBe("010101");
});

test("hidden thoughts are counted and not written", () => {
  for (const dialect of Object.values(DIALECTS)) {
    const generation = plan(dialect, "tokens=3+thinking=5+thoughts=hidden");
    const { stretches } = dialect.encode(generation);

    expect(generation.usage).toMatchObject({ outputTokens: 8, thoughtTokens: 5 });
    expect(stretches.map(({ tokens }) => tokens)).toEqual([0, 3]);
    expect(dialect.answer(generation)).not.toContain("Considering");
  }
});
