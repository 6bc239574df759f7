import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { openSeal } from "../../../tests/support/seals.ts";
import { Fault } from "../../core/fault.ts";
import { createConverseReader, wholeConverseAnswer } from "./answer-to-form.ts";

type Json = Record<string, unknown>;

const usage = {
  inputTokens: 2,
  outputTokens: 9,
  totalTokens: 161,
  cacheReadInputTokens: 100,
  cacheWriteInputTokens: 50,
  cacheDetails: [{ ttl: "1h", inputTokens: 30 }],
};
const answer = (content: object[], stopReason = "end_turn", more: object = {}) => ({
  output: { message: { role: "assistant", content } },
  stopReason,
  usage,
  ...more,
});
const begin = { role: "assistant" };
const delta = (contentBlockIndex: number, said: object) => ({ contentBlockIndex, delta: said });
const start = (contentBlockIndex: number, toolUseId: string, name: string) => ({
  contentBlockIndex,
  start: { toolUse: { toolUseId, name } },
});
const stop = (contentBlockIndex: number) => ({ contentBlockIndex });
const end = (stopReason = "end_turn") => [{ stopReason }, { usage, metrics: { latencyMs: 1 } }];
const messages = cross("messages", "converse");
const chat = cross("chat", "converse");
const responses = cross("responses", "converse");

test("tokens are told in the convention of each caller: cached ones beside or within the input", () => {
  const said = answer([{ text: "hi" }]);

  expect(chat.whole(said)["usage"]).toMatchObject({
    prompt_tokens: 152,
    prompt_tokens_details: { cached_tokens: 100 },
    completion_tokens: 9,
  });
  expect(responses.whole(said)["usage"]).toMatchObject({ input_tokens: 152, output_tokens: 9 });
  expect(messages.whole(said)["usage"]).toMatchObject({
    input_tokens: 2,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 50,
    output_tokens: 9,
  });
});

const sealOf = (block: unknown) => openSeal((block as Json)["signature"] ?? (block as Json)["data"]);

test("thoughts are sealed with their signature, those that cannot be read with all that they are", () => {
  const signed = { reasoningContent: { reasoningText: { text: "Hm.", signature: "SIG" } } };
  const redacted = { reasoningContent: { redactedContent: "c2VjcmV0" } };
  const { content } = messages.whole(answer([signed, redacted, { text: "hi" }])) as { content: Json[] };

  expect(content).toMatchObject([{ type: "thinking", thinking: "Hm." }, { type: "thinking" }, { text: "hi" }]);
  expect(content.slice(0, 2).map(sealOf)).toEqual([
    { dialect: "converse", value: { signature: "SIG" } },
    { dialect: "converse", value: { redacted: "c2VjcmV0" } },
  ]);
});

test("in a stream a signature and what cannot be read may come in pieces, each encoded by itself", () => {
  const pieces = ["first half ", "second half"].map((text) => Buffer.from(text).toString("base64"));
  const events = messages.events(
    begin,
    delta(0, { reasoningContent: { text: "Hm" } }),
    delta(0, { reasoningContent: { text: "." } }),
    delta(0, { reasoningContent: { signature: "SI" } }),
    delta(0, { reasoningContent: { signature: "G" } }),
    stop(0),
    ...pieces.map((redactedContent) => delta(1, { reasoningContent: { redactedContent } })),
    stop(1),
    delta(2, { text: "hi" }),
    stop(2),
    ...end(),
  );
  const sealed = (events ?? []).flatMap(({ delta: said, content_block: block }) => {
    const seal = sealOf({ ...(block as Json), ...(said as Json) });
    return seal === null ? [] : [seal.value];
  });

  expect(sealed).toEqual([
    { signature: "SIG" },
    { redacted: Buffer.from("first half second half").toString("base64") },
  ]);
});

test("calls that are written in turns are apart, and one without input is called with nothing", () => {
  const stream = chat.events(
    begin,
    start(0, "a", "one"),
    start(1, "b", "two"),
    start(2, "c", "three"),
    delta(1, { toolUse: { input: '{"x"' } }),
    delta(0, { toolUse: { input: "{}" } }),
    delta(1, { toolUse: { input: ":1}" } }),
    ...[0, 1, 2].map(stop),
    ...end("tool_use"),
  );
  const calls = (stream ?? []).flatMap(({ choices }) => {
    const [choice] = choices as { delta: { tool_calls?: { index: number; function: { arguments: string } }[] } }[];
    return choice?.delta.tool_calls ?? [];
  });
  const inputs = [0, 1, 2].map((place) =>
    calls.map((call) => (call.index === place ? call.function.arguments : "")).join(""),
  );

  expect(inputs.map((text) => JSON.parse(text || "{}") as unknown)).toEqual([{}, { x: 1 }, {}]);
});

test.each([
  ["end_turn", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["stop_sequence", "stop"],
  ["content_filtered", "content_filter"],
  ["guardrail_intervened", "content_filter"],
  ["some_new_reason", "stop"],
])("an answer that ends with %s ends with %s for a client of chat", (reason, finish) => {
  const [choice] = chat.whole(answer([{ text: "hi" }], reason))["choices"] as Json[];

  expect(choice?.["finish_reason"]).toBe(finish);
});

test("the sequence that was met is told where Amazon tells it, in a stream and in a whole answer", () => {
  const whole = { additionalModelResponseFields: { stop_sequence: "END" } };
  const streamed = { additionalModelResponseFields: { delta: { stop_sequence: "END" } } };
  const stream = messages.events(
    begin,
    delta(0, { text: "hi" }),
    stop(0),
    { stopReason: "stop_sequence", ...streamed },
    { usage },
  );

  expect(messages.whole(answer([{ text: "hi" }], "stop_sequence", whole))["stop_sequence"]).toBe("END");
  expect(JSON.stringify(stream)).toContain('"stop_sequence":"END"');
});

describe("what is no whole answer fails, and nobody pays for it", () => {
  const said = [begin, delta(0, { text: "hi" }), stop(0)];

  test.each<[string, Json[]]>([
    ["without its last event, which has the usage", [...said, { stopReason: "end_turn" }]],
    ["without a reason for its end", [...said, { usage }]],
    ["with an exception", [...said, { __type: "ModelStreamErrorException", message: "No." }]],
    ["of a model that could not write a call", [...said, { stopReason: "malformed_tool_use" }, { usage }]],
    ["of a model that could not go on", [...said, { stopReason: "malformed_model_output" }, { usage }]],
  ])("a stream %s", (_what, events) => {
    expect(chat.events(...events)).toBeNull();
  });

  test.each([
    ["of an address that is none", { Output: { __type: "com.amazon.coral.service#UnknownOperationException" } }],
    ["of a model that could not write a call", answer([{ text: "hi" }], "malformed_tool_use")],
    ["without a reason for its end", { ...answer([{ text: "hi" }]), stopReason: null }],
  ])("a whole answer %s", (_what, body) => {
    expect(() => chat.whole(body)).toThrow(Fault);
  });
});

test("the last event may come before the reason, and blocks may be announced that need not be", () => {
  const [reason, told] = end();
  const events = chat.events(
    { contentBlockIndex: 0, start: {} },
    delta(0, { text: "hi" }),
    told as Json,
    reason as Json,
  );

  expect(JSON.stringify(events)).toContain('"content":"hi"');
  expect(events?.at(-1)?.["usage"]).toMatchObject({ prompt_tokens: 152 });
});

test("a last event without usage ends the answer, which is then estimated", () => {
  const reader = createConverseReader({ model: "m" });
  for (const event of [
    begin,
    delta(0, { text: "hi" }),
    stop(0),
    { stopReason: "end_turn" },
    { metrics: { latencyMs: 1 } },
  ])
    expect(reader.read(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))).not.toBeNull();

  expect([reader.ended(), reader.usage()]).toEqual([true, null]);
  expect(reader.close()).toMatchObject([{ kind: "answer-stopped" }]);
});

test("usage that cannot be true is none", () => {
  const read = createConverseReader({ model: "m" });
  read.read(Buffer.from(`event: metadata\ndata: ${JSON.stringify({ usage: { ...usage, inputTokens: 1e18 } })}\n\n`));

  expect(read.usage()).toBeNull();
  expect(
    wholeConverseAnswer(Buffer.from(JSON.stringify({ ...answer([]), usage: {} })), { model: "m" }).usage,
  ).toBeNull();
});

test("streams of OpenAI's models tell the whole input, whole answers what is beside the cache", () => {
  const gross = { ...usage, inputTokens: 152 };
  const inputOf = (model: string): number | undefined => {
    const reader = createConverseReader({ model });
    reader.read(Buffer.from(`data: ${JSON.stringify({ usage: gross })}\n\n`));
    return reader.usage()?.inputTokens;
  };
  const body = Buffer.from(JSON.stringify({ ...answer([{ text: "hi" }]), usage: gross }));

  expect(inputOf("openai.gpt-5.6-v1:0")).toBe(152);
  expect(inputOf("us.anthropic.claude-opus-5")).toBe(302);
  expect(wholeConverseAnswer(body, { model: "openai.gpt-5.6-v1:0" }).usage?.inputTokens).toBe(302);
});

test("a last event that says nothing is the last all the same, so that what was delivered is estimated", () => {
  const reader = createConverseReader({ model: "m" });
  for (const event of [begin, delta(0, { text: "hi" }), stop(0), { stopReason: "end_turn" }, { p: "abc" }])
    reader.read(Buffer.from(`event: other\ndata: ${JSON.stringify(event)}\n\n`));
  const before = reader.ended();
  reader.read(Buffer.from('event: metadata\ndata: {"p":"abc"}\n\n'));

  expect([before, reader.ended(), reader.usage()]).toEqual([false, true, null]);
});

test.each(["signature", "redactedContent"])("what is kept of a %s that never ends is bounded", (name) => {
  const reader = createConverseReader({ model: "m" });
  const event = Buffer.from(
    `data: ${JSON.stringify(delta(0, { reasoningContent: { [name]: "abcd".repeat(16_384) } }))}\n\n`,
  );
  const endless = (): void => {
    for (let bytes = 0; bytes < 16 * 1024 * 1024; bytes += event.length) reader.read(event);
  };

  expect(endless).toThrow("the limit for a translated response");
});

test("a stream says the same as a whole answer, however its text is cut", () => {
  const words = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(words, words, (thoughts, said) => {
      const { content } = messages.whole(
        answer([
          { reasoningContent: { reasoningText: { text: thoughts.join(""), signature: "S" } } },
          { text: said.join("") },
        ]),
      ) as { content: Json[] };
      const events = messages.events(
        begin,
        ...thoughts.map((text) => delta(0, { reasoningContent: { text } })),
        delta(0, { reasoningContent: { signature: "S" } }),
        stop(0),
        ...said.map((text) => delta(1, { text })),
        stop(1),
        ...end(),
      );
      const joined = (name: string): string =>
        (events ?? [])
          .map(({ delta: grown }) => ((grown as Json | undefined)?.[name] as string | undefined) ?? "")
          .join("");

      expect([joined("thinking"), joined("text")]).toEqual([content[0]?.["thinking"], content[1]?.["text"]]);
    }),
    { numRuns: 50 },
  );
});
