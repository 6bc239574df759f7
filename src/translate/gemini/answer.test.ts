import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { openSeal } from "../../../tests/support/seals.ts";

type Json = Record<string, unknown>;

const usageMetadata = {
  promptTokenCount: 100,
  cachedContentTokenCount: 60,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 30,
  totalTokenCount: 150,
};
const saying = (...parts: object[]) => ({
  candidates: [{ content: { parts, role: "model" }, index: 0 }],
  usageMetadata,
});
const ending = (finishReason = "STOP", ...parts: object[]) => ({
  candidates: [{ content: { parts, role: "model" }, finishReason, index: 0 }],
  usageMetadata,
});
const call = (name: string, args: object, rest: object = {}) => ({ functionCall: { name, args }, ...rest });
const messages = cross("messages", "gemini");
const chat = cross("chat", "gemini");
const responses = cross("responses", "gemini");

test("tokens are told in the convention of each caller: thoughts within the output, cached ones beside or within the input", () => {
  const answer = ending("STOP", { text: "hi" });

  expect(chat.whole(answer)["usage"]).toMatchObject({
    prompt_tokens: 100,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens: 50,
    completion_tokens_details: { reasoning_tokens: 30 },
    total_tokens: 150,
  });
  expect(responses.whole(answer)["usage"]).toMatchObject({
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 30 },
  });
  expect(messages.whole(answer)["usage"]).toMatchObject({
    input_tokens: 40,
    cache_read_input_tokens: 60,
    output_tokens: 50,
  });
});

test("searches that grounded an answer are counted once, however many events repeat them", () => {
  const grounded = { ...ending("STOP", { text: "hi" }) };
  const [candidate] = grounded.candidates;
  const answer = { ...grounded, candidates: [{ ...candidate, groundingMetadata: { webSearchQueries: ["a", "b"] } }] };
  const stream = messages.events(answer, answer) ?? [];

  expect(messages.whole(answer)["usage"]).toMatchObject({ server_tool_use: { web_search_requests: 2 } });
  expect(JSON.stringify(stream.at(-2))).toContain('"web_search_requests":2');
});

test("a stream is over when it ends after a reason, and has broken off when it ends without one", () => {
  expect(chat.events(saying({ text: "hi" }), ending())?.at(-2)).toMatchObject({
    choices: [{ delta: {}, finish_reason: "stop" }],
  });
  expect(chat.events(saying({ text: "hi" }))).toBeNull();
  expect(chat.events(saying({ text: "hi" }), { error: { code: 503, status: "UNAVAILABLE" } })).toBeNull();
});

test("a reason in the middle, as older models give one with every event, ends nothing", () => {
  const told = chat.events(ending("STOP", { text: "one" }), ending("STOP", { text: " two" })) ?? [];
  const words = told
    .map(({ choices }) => (choices as { delta: { content?: string } }[])[0]?.delta.content ?? "")
    .join("");

  expect(words).toBe("one two");
});

describe("why an answer ended", () => {
  test.each([
    ["STOP", "stop", "end_turn"],
    ["MAX_TOKENS", "length", "max_tokens"],
    ["SAFETY", "content_filter", "refusal"],
    ["RECITATION", "content_filter", "refusal"],
    ["PROHIBITED_CONTENT", "content_filter", "refusal"],
    ["OTHER", "content_filter", "refusal"],
    ["SOMETHING_NEW", "stop", "end_turn"],
  ])("%s is %s in chat and %s in messages", (reason, inChat, inMessages) => {
    const answer = ending(reason, { text: "hi" });

    expect(chat.whole(answer)["choices"]).toMatchObject([{ finish_reason: inChat }]);
    expect(messages.whole(answer)["stop_reason"]).toBe(inMessages);
  });

  test("a call ends it as calls do, though Google says that it just ended", () => {
    const answer = ending("STOP", call("weather", {}));

    expect(chat.whole(answer)["choices"]).toMatchObject([{ finish_reason: "tool_calls" }]);
    expect(messages.whole(answer)["stop_reason"]).toBe("tool_use");
  });

  test("a call that could not be written is a failure of the provider", () => {
    expect(() => chat.whole(ending("MALFORMED_FUNCTION_CALL"))).toThrow("ended its response early");
    expect(chat.events(saying({ text: "hi" }), ending("MALFORMED_FUNCTION_CALL"))).toBeNull();
  });

  test("a prompt that was refused is a refusal with nothing said", () => {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 9 } };

    expect(chat.whole(blocked)["choices"]).toMatchObject([
      { finish_reason: "content_filter", message: { content: null } },
    ]);
    expect(messages.whole(blocked)).toMatchObject({ content: [], stop_reason: "refusal", usage: { input_tokens: 9 } });
    expect(responses.events(blocked)?.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "content_filter" } },
    });
  });

  test("what a provider says of having refused is told as a refusal", () => {
    const refused = { candidates: [{ finishReason: "SAFETY", finishMessage: "Not that." }], usageMetadata };

    expect(chat.whole(refused)["choices"]).toMatchObject([{ message: { refusal: "Not that." } }]);
    expect(messages.whole(refused)).toMatchObject({ content: [{ type: "text", text: "Not that." }] });
  });
});

const sealedIn = (content: unknown): unknown[] =>
  (content as Json[]).map(({ type, signature }) => (type === "thinking" ? openSeal(signature)?.value : type));

test("a signature is carried by the thinking before its part, whether or not there is something to read", () => {
  const thoughts = { text: "Hm.", thought: true };
  const signed = call("weather", {}, { thoughtSignature: "S" });
  const value = { signature: "S", part: "call" };

  expect(sealedIn(messages.whole(ending("STOP", thoughts, signed))["content"])).toEqual([value, "tool_use"]);
  expect(sealedIn(messages.whole(ending("STOP", signed, call("time", {})))["content"])).toEqual([
    value,
    "tool_use",
    "tool_use",
  ]);
  expect(sealedIn(messages.whole(ending("STOP", { text: "hi", thoughtSignature: "S" }))["content"])).toEqual([
    { signature: "S", part: "text" },
    "text",
  ]);
});

test("the last thing of an answer in words is its words: a signature that comes after them is left out", () => {
  const told = messages.events(saying({ text: "hi" }), ending("STOP", { text: "", thoughtSignature: "S" })) ?? [];
  const kinds = told.flatMap(({ content_block: block }) => (block as Json | undefined)?.["type"] ?? []);

  expect(kinds).toEqual(["text"]);
});

test("a call without an id has one of its own, and no two have the same", () => {
  const answer = chat.whole(ending("STOP", call("a", {}), call("b", {}), { functionCall: { name: "c", id: "x" } }));
  const calls = (answer["choices"] as { message: { tool_calls: { id: string; function: Json }[] } }[])[0]?.message
    .tool_calls;

  expect(new Set(calls?.map(({ id }) => id)).size).toBe(3);
  expect(calls?.[2]).toMatchObject({ id: "x", function: { name: "c", arguments: "{}" } });
});

test.each([[{ args: {} }], [{ name: "" }], [{ name: 7 }], [{ partialArgs: [{ jsonPath: "$.a", stringValue: "x" }] }]])(
  "a call such as %j, which names no tool, is a failure of the provider",
  (functionCall) => {
    expect(chat.events(saying({ functionCall }), ending())).toBeNull();
  },
);

test("a call that comes in pieces is told once it is whole, also when nothing ends it", () => {
  const pieces = [
    { functionCall: { name: "a", willContinue: true } },
    { functionCall: { partialArgs: [{ jsonPath: "$.x", stringValue: "1", willContinue: true }], willContinue: true } },
    { functionCall: { partialArgs: [{ jsonPath: "$.x", stringValue: "2" }], willContinue: true } },
    { functionCall: {} },
    { functionCall: { name: "b", willContinue: true } },
    { functionCall: { partialArgs: [{ jsonPath: "$.y[0]", numberValue: 3 }], willContinue: true } },
  ];
  const told = messages.events(...pieces.map((part) => saying(part)), ending()) ?? [];
  const inputs = told.flatMap(({ delta }) => (delta as Json | undefined)?.["partial_json"] ?? []);

  expect(inputs).toEqual([`{"x":"12"}`, `{"y":[3]}`]);
});

const part = fc.oneof(
  fc.string().map((text) => ({ text })),
  fc.string().map((text) => ({ text, thought: true })),
  fc.record({ text: fc.string(), thoughtSignature: fc.constantFrom("S", "T") }),
  fc.record({
    functionCall: fc.record({ name: fc.constantFrom("a", "b"), args: fc.dictionary(fc.string(), fc.string()) }),
  }),
);

test("however the parts of an answer are spread over events, callers of every format are told the same words and calls", () => {
  const saidIn = (events: Json[] | null): string =>
    (events ?? [])
      .flatMap(({ choices }) => {
        const [choice] = (choices ?? []) as {
          delta: { content?: string; tool_calls?: { function: { name?: string; arguments: string } }[] };
        }[];
        const calls = choice?.delta.tool_calls?.map(({ function: made }) => `${made.name ?? ""}${made.arguments}`);
        return [choice?.delta.content ?? "", ...(calls ?? [])];
      })
      .join("");

  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 3 }), { maxLength: 5 }), (spread) => {
      const apart = spread.map((parts) => saying(...parts));
      const together = saying(...spread.flat());

      expect(saidIn(chat.events(...apart, ending()))).toBe(saidIn(chat.events(together, ending())));
    }),
  );
});

test.each(["messages", "chat", "responses"] as const)("pages that an answer rests on are cited in %s", (client) => {
  const grounding = {
    webSearchQueries: ["tides"],
    groundingChunks: [{ web: { uri: "https://tides.example/a", title: "Tides" } }, { web: { uri: 7 } }, { maps: {} }],
  };
  const parts = [{ text: "Twice a day." }];
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 };
  const { events, whole } = cross(client, "gemini");
  const told = events(
    { candidates: [{ content: { parts }, index: 0 }] },
    {
      candidates: [
        { content: { parts: [{ text: "" }] }, finishReason: "STOP", index: 0, groundingMetadata: grounding },
      ],
      usageMetadata,
    },
  );
  const answer = whole({
    candidates: [{ content: { parts }, finishReason: "STOP", groundingMetadata: grounding }],
    usageMetadata,
  });

  for (const said of [told, answer]) {
    expect(JSON.stringify(said)).toContain('"url":"https://tides.example/a"');
    expect(JSON.stringify(said)).toContain("Tides");
  }
});
