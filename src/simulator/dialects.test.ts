import { expect, test } from "vitest";
import type { Dialect, JsonObject } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";
import { answerOfBytes, planGeneration } from "./plan/generation.ts";
import { DEFAULT_SCRIPT, parseSettings } from "./plan/script.ts";

const MODEL = 'sim "é\n';
const body = { model: MODEL, messages: [{ role: "user", content: "x" }], input: "x", max_tokens: 1000 };
const bodyOf = ({ name }: Dialect): JsonObject => {
  if (name === "converse") return { messages: [{ role: "user", content: [{ text: "x" }] }] };
  return name === "gemini" ? { contents: [{ role: "user", parts: [{ text: "x" }] }] } : body;
};

function plan(dialect: Dialect, settings: string, extra: JsonObject = {}) {
  const script = { ...DEFAULT_SCRIPT, ...parseSettings(settings) };
  const ask = dialect.read({ ...bodyOf(dialect), ...extra }, { model: MODEL, streamed: true });
  return planGeneration({ ask, script, id: "0123", nowMs: 1_700_000_000_000 });
}

function eventsOf(dialect: Dialect, settings: string, extra?: JsonObject): JsonObject[] {
  const encoder = dialect.encode(plan(dialect, settings, extra));
  const opening = encoder.opening();
  const said = encoder.stretches.flatMap(({ before, tokens, token, after }) => [
    ...before(),
    ...Array.from({ length: tokens }, (_, index) => token(index)),
    ...after(),
  ]);
  return [...opening, ...said, ...encoder.closing()]
    .filter((event) => event !== "data: [DONE]\n\n" && event !== "")
    .map((event) => {
      const lines = event.replaceAll("\r\n", "\n").split("\n");
      expect(lines.slice(-2)).toEqual(["", ""]);
      const data = JSON.parse(lines.at(-3)?.replace(/^data: /, "") ?? "") as JsonObject;
      const named =
        dialect.name === "converse" ? /^event: \w+$/ : new RegExp(`^event: ${RegExp.escape(String(data["type"]))}$`);
      if (lines.length === 4) expect(lines[0]).toMatch(named);
      return data;
    });
}

for (const dialect of Object.values(DIALECTS)) {
  test(`${dialect.name}: every event is one line of valid JSON, whatever the model is called`, () => {
    for (const settings of ["tokens=7", "tokens=7+tool=get_weather", "tokens=7+usage=missing", "tokens=0"]) {
      expect(eventsOf(dialect, settings).length).toBeGreaterThan(dialect.name === "gemini" ? 0 : 1);
    }
  });

  test(`${dialect.name}: an answer of a given size has exactly that size`, () => {
    for (const bytes of [2500, 2501, 10_000]) {
      expect(Buffer.byteLength(answerOfBytes(dialect, plan(dialect, `answer=${bytes}`), bytes))).toBe(bytes);
    }
  });

  test(`${dialect.name}: the broken event is framed well and is not JSON`, () => {
    const { broken } = dialect.encode(plan(dialect, "tokens=7"));
    const data =
      broken
        .trimEnd()
        .split("\n")
        .at(-1)
        ?.replace(/^data: /, "") ?? "";

    expect(broken).toMatch(/\r?\n\r?\n$/);
    expect(data.length).toBeGreaterThan(10);
    expect(() => JSON.parse(data)).toThrow();
  });
}

for (const dialect of [DIALECTS.chat, DIALECTS.responses, DIALECTS.messages]) {
  test.each([
    [{ model: "" }, "model"],
    [{ model: 7 }, "model"],
    [{ messages: [], input: null }, /messages|input/],
    [{ stream: "yes" }, "stream"],
    [{ max_tokens: 0, max_output_tokens: 0 }, /max_/],
    [{ max_tokens: 1.5, max_output_tokens: "9" }, /max_/],
  ])(`${dialect.name}: a body with %j is refused`, (extra, named) => {
    expect(() => dialect.read({ ...body, ...extra })).toThrow(named);
  });
}

test("chat: the chunks share their envelope and only the last has a finish reason", () => {
  const chunks = eventsOf(DIALECTS.chat, "tokens=3");

  expect(
    new Set(chunks.map((chunk) => JSON.stringify([chunk["id"], chunk["object"], chunk["created"], chunk["model"]])))
      .size,
  ).toBe(1);
  expect(chunks.map((chunk) => (chunk["choices"] as JsonObject[])[0])).toEqual([
    { index: 0, delta: { role: "assistant", content: "", refusal: null }, logprobs: null, finish_reason: null },
    { index: 0, delta: { content: "amber" }, logprobs: null, finish_reason: null },
    { index: 0, delta: { content: " harbor" }, logprobs: null, finish_reason: null },
    { index: 0, delta: { content: " ocean" }, logprobs: null, finish_reason: null },
    { index: 0, delta: {}, logprobs: null, finish_reason: "stop" },
  ]);
});

test("chat: a tool call is named once and then known by its index", () => {
  const deltas = eventsOf(DIALECTS.chat, "tokens=2+tool=look").map(
    (chunk) => (chunk["choices"] as JsonObject[])[0]?.["delta"],
  );

  expect(deltas).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ index: 0, id: "call_01230", type: "function", function: { name: "look", arguments: "" } }],
      refusal: null,
    },
    { tool_calls: [{ index: 0, function: { arguments: '{"query":"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '"}' } }] },
    {},
  ]);
});

test("messages: cached tokens are counted beside the input and not in it", () => {
  const events = eventsOf(DIALECTS.messages, "tokens=2+input=10+cached=4");

  expect(events.find((event) => event["type"] === "message_delta")?.["usage"]).toEqual({
    input_tokens: 6,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 4,
    output_tokens: 2,
  });
});
