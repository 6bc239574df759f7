import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../tests/support/cases.ts";
import { chatUntouched } from "./chat/untouched.ts";
import { messagesUntouched } from "./messages/untouched.ts";
import { responsesUntouched } from "./responses/untouched.ts";
import { readChatGenerated } from "./chat/generated.ts";
import { readConverseGenerated } from "./converse/generated.ts";
import { readGeminiGenerated } from "./gemini/generated.ts";
import { readMessagesGenerated } from "./messages/generated.ts";
import { readGeneratedBeside, readResponsesGenerated } from "./responses/generated.ts";
import { OutputMeter } from "./output-meter.ts";
import { requestOf } from "../../tests/translation/request-of.ts";

const named = (data: { type: string } & object): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Events of each format that carry a text, or two, or none, and how they are counted when each comes alone. */
const FORMATS = {
  chat: {
    stage: () => chatUntouched.stage(requestOf("chat")),
    event: (text: string, kind: number, n: number): string => {
      const delta = [
        { content: text },
        { reasoning_content: text },
        { content: text, refusal: "no" },
        {},
        { content: text },
      ][kind];
      return `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta }], ...(kind === 4 ? { n } : {}) })}\n\n`;
    },
  },
  messages: {
    stage: () => messagesUntouched.stage(requestOf("messages")),
    event: (text: string, kind: number, index: number): string => {
      const delta = [
        { type: "text_delta", text },
        { type: "thinking_delta", thinking: text },
        { type: "input_json_delta", partial_json: text },
      ][kind % 3];
      return kind === 3
        ? named({ type: "ping" })
        : named({ type: "content_block_delta", index: kind === 4 ? index : 0, delta } as never);
    },
  },
  responses: {
    stage: () => responsesUntouched.stage(requestOf("responses")),
    event: (delta: string, kind: number, n: number): string => {
      const type = ["output_text", "reasoning_summary_text", "function_call_arguments", "refusal", "output_text"][kind];
      return named({
        type: `response.${type}.delta`,
        sequence_number: n,
        item_id: "i",
        delta,
        ...(kind === 4 ? { n } : {}),
      } as never);
    },
  },
};

test.each(Object.entries(FORMATS))(
  "of a %s stream, the same is counted as if every event came alone",
  (_, { stage, event }) => {
    const piece = fc.tuple(
      fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("word", " a", "\n", '"', "")),
      fc.constantFrom(0, 0, 0, 1, 2, 3, 4),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const together = stage();
        let text = "";
        let length = 0;
        let thoughtBytes = 0;
        for (const [n, [said, kind]] of pieces.entries()) {
          const bytes = Buffer.from(event(said, kind, n));
          const before = Buffer.from("data: x\n\n");
          expect(together.event(Buffer.concat([before, bytes]), before.length, before.length + bytes.length)).toBe(1);
          const alone = stage();
          alone.event(bytes, 0, bytes.length);
          text += alone.delivered.text();
          length += alone.delivered.length;
          thoughtBytes += alone.delivered.thoughtBytes;
        }
        expect({ length: together.delivered.length, thoughtBytes: together.delivered.thoughtBytes }).toEqual({
          length,
          thoughtBytes,
        });
        if (text.isWellFormed()) expect(together.delivered.text()).toBe(text);
      }),
    );
  },
);

const READERS = {
  chat: readChatGenerated,
  messages: readMessagesGenerated,
  responses: readResponsesGenerated,
  gemini: readGeminiGenerated,
  converse: readConverseGenerated,
} as const;
type Format = keyof typeof READERS;
const ALL = Object.keys(READERS) as Format[];

const meterOf = (format: Format): OutputMeter =>
  new OutputMeter(READERS[format], format === "responses" ? "sequence_number" : null);
const framed = (event: object): Buffer => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);

function metered(format: Format, events: readonly object[]): OutputMeter {
  const meter = meterOf(format);
  for (const event of events.map(framed)) if (!meter.again(event, 0, event.length)) meter.note(event);
  return meter;
}

const words = "four words are said ";
const chunk = (delta: object): object => ({ id: "c", choices: [{ index: 0, delta, finish_reason: null }] });
const toolCall = (n: number, call: object): object => chunk({ tool_calls: [{ index: n, id: `call_${n}`, ...call }] });

test.each<[string, Format, object[], string]>([
  [
    "a custom tool of chat",
    "chat",
    [toolCall(0, { type: "custom", custom: { name: "f", input: "" } }), toolCall(0, { custom: { input: words } })],
    `f${words}`,
  ],
  ["content in parts", "chat", [chunk({ content: [{ type: "text", text: words }] })], words],
  [
    "thinking in parts",
    "chat",
    [chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: words }] }] })],
    words,
  ],
  [
    "sixty calls whose names are the answer",
    "chat",
    Array.from({ length: 60 }, (_, n) => toolCall(n, { type: "function", function: { name: words, arguments: "" } })),
    words.repeat(60),
  ],
  [
    "a compaction",
    "messages",
    [{ type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: words } }],
    words,
  ],
  [
    "an item without deltas",
    "responses",
    [
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { id: "i", type: "local_shell_call", status: "completed", action: { type: "exec", command: [words] } },
      },
    ],
    JSON.stringify({ type: "exec", command: [words] }),
  ],
  ["a thought under two names", "chat", [chunk({ reasoning: words, reasoning_content: words })], words],
  [
    "an answer that is told whole in every chunk",
    "chat",
    [
      { choices: [{ index: 0, message: { role: "assistant", content: "four " } }] },
      { choices: [{ index: 0, message: { role: "assistant", content: "four words" } }] },
    ],
    "four words",
  ],
  [
    "each of several pieces that are called whole messages",
    "chat",
    ["four ", "words", "words are said "].map((content) => ({
      choices: [{ index: 0, message: { role: "assistant", content } }],
    })),
    "four words are said ",
  ],
  [
    "each of several texts that end in one place",
    "responses",
    ["one ", "two "].map((text) => ({ type: "response.output_text.done", output_index: 0, content_index: 0, text })),
    "one two ",
  ],
  [
    "each of several items that have the same number",
    "responses",
    ["one ", "two "].map((text, n) => ({
      type: "response.output_item.done",
      output_index: 0,
      item: { id: `i${n}`, type: "function_call", arguments: text },
    })),
    "one two ",
  ],
  [
    "a text that is told again without the space at its end",
    "responses",
    [
      { type: "response.output_text.done", output_index: 0, content_index: 0, text: words },
      { type: "response.content_part.done", output_index: 0, content_index: 0, part: { text: words.trim() } },
    ],
    words,
  ],
  [
    "items that stand elsewhere in the whole response than in the stream",
    "responses",
    [
      ...["one ", "two "].map((text, n) => ({
        type: "response.output_item.done",
        output_index: n,
        item: { id: `i${n}`, type: "message", content: [{ type: "output_text", text }] },
      })),
      {
        type: "response.completed",
        response: {
          output: ["two ", "one "].map((text, n) => ({ id: `j${n}`, content: [{ type: "output_text", text }] })),
        },
      },
    ],
    "one two ",
  ],
  [
    "an answer that is told in pieces and whole in the same chunks",
    "chat",
    ["four ", "words"].map((content, n) => ({
      choices: [
        { index: 0, delta: { content }, message: { role: "assistant", content: "four words".slice(0, 5 + 5 * n) } },
      ],
    })),
    "four words",
  ],
  [
    "each of several calls that have the same number",
    "chat",
    ["one", "two", "two"].map((name, n) =>
      chunk({ tool_calls: [{ id: `call_${n}`, type: "function", function: { name, arguments: "" } }] }),
    ),
    "onetwotwo",
  ],
  [
    "the name of a tool that comes with every piece of a call",
    "chat",
    ["{", "}"].map((piece) => toolCall(0, { function: { name: "f", arguments: piece } })),
    "{f}",
  ],
])("%s counts once", (_name, format, events, text) => {
  expect(metered(format, events).delivered.text()).toBe(text);
});

test.each<[string, Format, object]>([
  ["an envelope", "chat", { id: words, object: words, model: words, system_fingerprint: words, choices: [] }],
  ["padding", "responses", { type: "response.output_text.delta", output_index: 0, delta: "", obfuscation: words }],
  [
    "a signature",
    "messages",
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: words } },
  ],
  [
    "what a tool of the provider found",
    "messages",
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "web_search_tool_result", content: [{ title: words }] },
    },
  ],
  ["the echo of the request", "responses", { type: "response.created", response: { instructions: words, output: [] } }],
  ["probabilities", "chat", { choices: [{ index: 0, delta: {}, logprobs: { content: [{ token: words }] } }] }],
  ["the end of a stream", "chat", { choices: [] }],
])("%s does not count", (_name, format, event) => {
  expect(metered(format, [event]).delivered.length).toBe(0);
});

test("what a response says again of its request does not count, and under the same name another value does", () => {
  const read = readGeneratedBeside(Buffer.from(JSON.stringify({ model: "m", new_setting: { text: words } })));
  const told = (value: unknown): number => {
    const meter = new OutputMeter(read);
    meter.note(framed({ type: "response.created", response: { output: [], new_setting: value } }));
    return meter.delivered.length;
  };

  expect(told({ text: words })).toBe(0);
  expect(told({ text: `${words}more` })).toBeGreaterThan(words.length);
});

/** Members that are read by a table of their own, where something else stands than a format has there. */
test.each<[Format, object]>([
  ["chat", { choices: words }],
  ["chat", { choices: [words] }],
  ["chat", { choices: [{ index: 0, delta: words }] }],
  ["chat", { choices: [{ index: 0, message: words }] }],
  ["chat", chunk({ tool_calls: words })],
  ["chat", chunk({ tool_calls: [words] })],
  ["chat", chunk({ function_call: words })],
  ["chat", chunk({ executed_tools: [{ index: 0, type: "python", arguments: words, output: "read" }] })],
  ["chat", chunk({ provider_specific_fields: { text: words } })],
  ["messages", { type: "message_start", message: words }],
  ["messages", { type: "message_start", message: { type: "message", content: words } }],
  ["messages", { type: "message_delta", delta: { content: words } }],
  ["messages", { type: "message_delta", delta: words }],
  ["messages", { type: "content_block_start", index: 0, content_block: words }],
  ["messages", { type: "content_block_delta", index: 0, delta: words }],
  ["responses", { type: "response.output_item.done", output_index: 0, item: words }],
  ["responses", { type: "response.output_item.done", output_index: 0, item: { type: "new", name: { text: words } } }],
  ["responses", { type: "response.content_part.done", output_index: 0, part: words }],
  ["responses", { type: "response.completed", response: words }],
  ["responses", { type: "response.completed", response: { output: words } }],
  ["converse", { output: words }],
  ["converse", { output: { message: words } }],
  ["converse", { output: { message: { content: words } } }],
  ["converse", { contentBlockIndex: 0, delta: words }],
  ["converse", { contentBlockIndex: 0, start: words }],
  ["converse", { contentBlockIndex: 0, delta: { reasoningContent: words } }],
  ["converse", { contentBlockIndex: 0, delta: { toolUse: words } }],
  ["gemini", { candidates: words }],
  ["gemini", { candidates: [words] }],
  ["gemini", { candidates: [{ content: words }] }],
  ["gemini", { candidates: [{ content: { parts: words } }] }],
])("what stands in the place of something that is looked into counts: %s %j", (format, event) => {
  expect(metered(format, [event]).delivered.length).toBeGreaterThanOrEqual(words.length);
});

test("a member that is called like padding counts where the format has none", () => {
  const event = (p: string): object => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "a", p },
  });

  expect(metered("messages", [event(""), event(words)]).delivered.length).toBeGreaterThanOrEqual(words.length + 2);
});

test("an event that is no JSON counts, and the end of a stream does not", () => {
  const meter = meterOf("chat");
  for (const text of [`data: ${words}\n\n`, "data: [DONE]\n\n", ": comment\n\n"]) meter.note(Buffer.from(text));

  expect(meter.delivered.text()).toBe(words);
});

test("an event nested so deeply that nobody can look into it counts", () => {
  const meter = meterOf("chat");
  const depth = 100_000;
  meter.note(Buffer.from(`data: {"new":${"[".repeat(depth)}"${words}"${"]".repeat(depth)}}\n\n`));

  expect(meter.delivered.length).toBeGreaterThan(words.length);
});

/** Where the events of a format have members: an event with a place for something that nobody knows yet. */
const PLACES: Record<Format, ((unknown: object) => object)[]> = {
  chat: [
    (unknown) => ({ id: "c", choices: [], ...unknown }),
    (unknown) => ({ choices: [{ index: 0, delta: {}, ...unknown }] }),
    (unknown) => ({ choices: [{ index: 0, delta: { role: "assistant", ...unknown } }] }),
    (unknown) => ({ choices: [{ index: 0, delta: { content: [{ type: "text", text: "", ...unknown }] } }] }),
    (unknown) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: {}, ...unknown }] } }] }),
    (unknown) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { ...unknown } }] } }] }),
    (unknown) => ({ choices: [{ index: 0, message: { ...unknown } }] }),
  ],
  converse: [
    (unknown) => ({ contentBlockIndex: 0, delta: { ...unknown } }),
    (unknown) => ({ contentBlockIndex: 0, delta: { toolUse: { ...unknown } } }),
    (unknown) => ({ contentBlockIndex: 0, delta: { reasoningContent: { ...unknown } } }),
    (unknown) => ({ contentBlockIndex: 0, start: { ...unknown } }),
    (unknown) => ({ stopReason: "end_turn", ...unknown }),
    (unknown) => ({ output: { message: { role: "assistant", content: [{ ...unknown }] } } }),
    (unknown) => ({ newEvent: 1, ...unknown }),
  ],
  messages: [
    (unknown) => ({ type: "content_block_delta", index: 0, delta: { type: "new_delta", ...unknown } }),
    (unknown) => ({ type: "content_block_start", index: 0, content_block: { type: "new_block", ...unknown } }),
    (unknown) => ({ type: "message_delta", delta: { stop_reason: null, ...unknown }, usage: {} }),
    (unknown) => ({ type: "message_start", message: { type: "message", content: [], ...unknown } }),
    (unknown) => ({ type: "message_start", message: { type: "message", content: [{ type: "text", ...unknown }] } }),
    (unknown) => ({ type: "new_event", ...unknown }),
  ],
  responses: [
    (unknown) => ({ type: "response.new_thing.delta", output_index: 0, ...unknown }),
    (unknown) => ({ type: "response.output_text.delta", output_index: 0, content_index: 0, ...unknown }),
    (unknown) => ({ type: "response.output_item.done", output_index: 0, item: { type: "new_call", ...unknown } }),
    (unknown) => ({ type: "response.content_part.done", output_index: 0, part: { type: "new", ...unknown } }),
    (unknown) => ({ type: "response.completed", response: { output: [], ...unknown } }),
    (unknown) => ({ type: "response.completed", response: { output: [{ type: "new_call", ...unknown }] } }),
    (unknown) => ({ type: "response.new_event", ...unknown }),
  ],
  gemini: [
    (unknown) => ({ candidates: [], ...unknown }),
    (unknown) => ({ candidates: [{ content: { parts: [] }, ...unknown }] }),
    (unknown) => ({ candidates: [{ content: { parts: [{ ...unknown }] } }] }),
    (unknown) => ({ candidates: [{ content: { parts: [{ functionCall: { name: "", ...unknown } }] } }] }),
  ],
};
const CASES = Number(process.env["TEST_CASES"] ?? cases({ gate: 500, long: 4_000 }));

test.each(ALL)("whatever a provider of %s adds to its events, what the model wrote in it counts", (format) => {
  const written = fc.string({ minLength: 1, maxLength: 12 });
  /** Texts at any depth, and digits that a model wrote as a number. */
  const tree = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      written,
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "text", "id", "type", "content", "index"), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  const event = fc.tuple(fc.nat(PLACES[format].length - 1), fc.constantFrom("new", "novel_text", "überneu"), tree);
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), (events) => {
      const pieces = events.map(([place, name, value]) => ({
        event: PLACES[format][place]?.({ [name]: value }) ?? {},
        bytes: bytesIn(value),
      }));
      // Each alone: the whole form of an item may be what its pieces said before.
      for (const { event: one, bytes } of pieces)
        expect(metered(format, [one]).delivered.length).toBeGreaterThanOrEqual(bytes);
    }),
    { numRuns: CASES },
  );
});

/** Of all texts and numbers in a value. */
function bytesIn(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return String(value).length;
  return typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + bytesIn(inner), 0)
    : 0;
}
