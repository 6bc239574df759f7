import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";

type Json = Record<string, unknown>;
const URL = "https://example.com/tides";
const SOURCE = {
  type: "web_search_result_location",
  url: URL,
  title: "Tides",
  cited_text: "Twice a day.",
  encrypted_index: "Eo8B",
};
const TEXTS = ["Listen: ", "the sea rises twice a day."] as const;
/** The second text as its place in both. */
const PLACE = { start_index: 8, end_index: 34 };
const LINK = { title: "Tides", url: URL };

const MESSAGE = {
  type: "message",
  content: [
    { type: "text", text: TEXTS[0] },
    {
      type: "text",
      text: TEXTS[1],
      citations: [SOURCE, { type: "char_location", cited_text: "x", document_index: 0 }],
    },
  ],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};
const MESSAGE_EVENTS: Json[] = [
  { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: TEXTS[0] } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "", citations: [] } },
  { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: SOURCE } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: TEXTS[1] } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];

const ANNOTATION = { type: "url_citation", ...LINK, ...PLACE };
const CHAT = {
  choices: [
    {
      index: 0,
      message: {
        content: TEXTS.join(""),
        annotations: [{ type: "url_citation", url_citation: { ...LINK, ...PLACE } }],
      },
      finish_reason: "stop",
    },
  ],
};
const CHAT_EVENTS: Json[] = [
  { choices: [{ index: 0, delta: { role: "assistant", content: TEXTS[0] } }] },
  { choices: [{ index: 0, delta: { content: TEXTS[1] } }] },
  { choices: [{ index: 0, delta: { content: "", annotations: CHAT.choices[0]?.message.annotations } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
];

const part = (annotations: Json[]): Json => ({ type: "output_text", text: TEXTS.join(""), annotations });
const item = { id: "m", type: "message", role: "assistant", content: [part([ANNOTATION])] };
const RESPONSE = { object: "response", status: "completed", output: [item] };
const RESPONSE_EVENTS = (told: "one by one" | "in the end"): Json[] => [
  { type: "response.created", response: {} },
  { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
  { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: TEXTS.join("") },
  ...(told === "one by one"
    ? [{ type: "response.output_text.annotation.added", output_index: 0, content_index: 0, annotation: ANNOTATION }]
    : []),
  { type: "response.output_item.done", output_index: 0, item },
  { type: "response.completed", response: RESPONSE },
];

const ofType = (events: Json[] | null, type: string): Json[] =>
  (events ?? []).filter((event) => event["type"] === type);
const deltas = (events: Json[] | null): Json[] =>
  (events ?? []).flatMap(({ choices }) => (choices as { delta: Json }[]).map(({ delta }) => delta));

test("what a messages provider found at an address is cited to a chat caller, counted from the beginning of all it said", () => {
  const annotations = [{ type: "url_citation", url_citation: { ...PLACE, ...LINK } }];
  const { whole, events } = cross("chat", "messages");

  expect(whole(MESSAGE)["choices"]).toMatchObject([{ message: { content: TEXTS.join(""), annotations } }]);
  expect(deltas(events(...MESSAGE_EVENTS)).filter((delta) => "annotations" in delta)).toEqual([{ annotations }]);
});

test("what a messages provider found at an address is cited to a responses caller within its part", () => {
  const annotation = { type: "url_citation", start_index: 0, end_index: 26, ...LINK };
  const { whole, events } = cross("responses", "messages");
  const streamed = events(...MESSAGE_EVENTS);

  expect(whole(MESSAGE)["output"]).toMatchObject([
    { content: [{ annotations: [] }] },
    { content: [{ annotations: [annotation] }] },
  ]);
  expect(ofType(streamed, "response.output_text.annotation.added")).toMatchObject([
    { output_index: 1, content_index: 0, annotation_index: 0, annotation },
  ]);
  expect(ofType(streamed, "response.content_part.done")[1]).toMatchObject({ part: { annotations: [annotation] } });
});

test.each([
  { provider: "chat" as const, answer: CHAT, stream: CHAT_EVENTS },
  { provider: "responses" as const, answer: RESPONSE, stream: RESPONSE_EVENTS("one by one") },
  { provider: "responses" as const, answer: RESPONSE, stream: RESPONSE_EVENTS("in the end") },
])(
  "a messages caller is cited what a $provider provider found, and gives its place back",
  ({ provider, answer, stream }) => {
    const { whole, events } = cross("messages", provider);
    const content = whole(answer)["content"] as { citations: Json[] }[];
    const [citation] = content[0]?.citations ?? [];
    const told = { type: "web_search_result_location", ...LINK, cited_text: "" };
    const again = {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content },
      ],
    };
    const { input } = cross("messages", "responses").sent(again) as { input: Json[] };

    expect(citation).toMatchObject(told);
    expect(ofType(events(...stream), "content_block_delta").map(({ delta }) => delta)).toContainEqual({
      type: "citations_delta",
      citation,
    });
    expect(input[1]).toMatchObject({ content: [part([ANNOTATION])] });
    expect(cross("messages", "messages").sent(again)["messages"]).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "text", text: TEXTS.join("") }] },
    ]);
  },
);

test("citations cross between chat and responses with the places they name", () => {
  const { message } = (cross("chat", "responses").whole(RESPONSE)["choices"] as { message: Json }[])[0] ?? {};
  const asked = { role: "user", content: "hi" };

  expect(message).toMatchObject({ annotations: CHAT.choices[0]?.message.annotations });
  expect(cross("responses", "chat").whole(CHAT)["output"]).toMatchObject([{ content: [part([ANNOTATION])] }]);
  expect(ofType(cross("responses", "chat").events(...CHAT_EVENTS), "response.completed")).toMatchObject([
    { response: { output: [{ content: [part([ANNOTATION])] }] } },
  ]);
  expect(cross("chat", "responses").sent({ messages: [asked, message ?? {}] })["input"]).toMatchObject([
    {},
    { content: [part([ANNOTATION])] },
  ]);
});

test("citations of a content in parts go with the part they speak of, however many there are of both", () => {
  const many = 10_000;
  const content = Array.from({ length: many }, () => ({ type: "text", text: "ab" }));
  const annotations = Array.from({ length: many }, (_, index) => ({
    type: "url_citation",
    url_citation: { ...LINK, start_index: 2 * index, end_index: 2 * index + 1 },
  }));
  const message = { role: "assistant", content, annotations: annotations.toReversed() };
  const { input } = cross("chat", "responses").sent({ messages: [{ role: "user", content: "hi" }, message] });
  const parts = (input as { content: Json[] }[])[1]?.content ?? [];

  expect(parts).toHaveLength(many);
  expect(parts.at(-1)).toEqual({
    type: "output_text",
    text: "ab",
    annotations: [{ type: "url_citation", start_index: 0, end_index: 1, ...LINK }],
  });
});

test.each<[how: string, found: Json, title: string]>([
  ["by name", { search_results: [{ title: "Tides", url: URL, date: null }], citations: [URL] }, "Tides"],
  ["by address", { citations: [URL] }, ""],
])(
  "what a chat provider found by itself, told beside its answer %s, is cited for the whole of it",
  (_, found, title) => {
    const choice = { index: 0, finish_reason: "stop" };
    const stream = TEXTS.map((content) => ({ ...found, choices: [{ ...choice, delta: { content } }] }));
    const annotation = { type: "url_citation", start_index: 0, end_index: 34, title, url: URL };
    const { whole, events } = cross("responses", "chat");
    const output = [{ content: [part([annotation])] }];

    expect(whole({ ...found, choices: [{ ...choice, message: { content: TEXTS.join("") } }] })).toMatchObject({
      output,
    });
    expect(ofType(events(...stream), "response.completed")).toMatchObject([{ response: { output } }]);
  },
);
