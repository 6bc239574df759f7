import { describe, expect, test } from "vitest";
import { recordings } from "../../../tests/support/recordings.ts";
import { examineChat } from "./examine-chat.ts";
import { examineMessages } from "./examine-messages.ts";
import { examineResponses } from "./examine-responses.ts";
import { readSseEvents } from "./sse-events.ts";

const framed = (lines: readonly string[]): string => lines.map((line) => `data: ${line}\n\n`).join("");
const named = (events: readonly object[]): string =>
  events.map((data) => `event: ${(data as { type: string }).type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
const chunk = (choice: object, rest: object = {}): string =>
  JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, finish_reason: null, ...choice }],
    ...rest,
  });
const OPENING = chunk({ delta: { role: "assistant", content: "" } });
const HELLO = chunk({ delta: { content: "hello" } });
const CLOSING = chunk({ delta: {}, finish_reason: "stop" });
const USAGE = chunk({}, { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } });
const brokenIn = (...lines: string[]): readonly string[] => examineChat(readSseEvents(framed(lines))).broken;

describe("a chat stream", () => {
  test("that keeps every rule may be forwarded as it comes, its usage read [spec 6.1]", () => {
    const text = `: waiting\n\n${framed([OPENING, HELLO, CLOSING, USAGE, "[DONE]"])}`;

    for (const stream of [text, text.replaceAll("\n", "\r\n")]) {
      expect(examineChat(readSseEvents(stream))).toEqual({
        broken: [],
        model: "m",
        usage: { inputTokens: 9, outputTokens: 2 },
      });
    }
  });

  test.each<[what: string, lines: string[], rule: string]>([
    ["no JSON", [OPENING, "{", CLOSING, "[DONE]"], "6.1.2"],
    ["another object", [OPENING, chunk({ delta: {} }, { object: "" }), CLOSING, "[DONE]"], "6.1.3"],
    ["no id", [OPENING, chunk({ delta: {} }, { id: null }), CLOSING, "[DONE]"], "6.1.3"],
    ["no delta", [OPENING, chunk({}), CLOSING, "[DONE]"], "6.1.4"],
    ["no role at first", [HELLO, CLOSING, "[DONE]"], "6.1.5"],
    ["nothing at first", [USAGE.replace('"usage"', '"other"'), OPENING, CLOSING, "[DONE]"], "6.1.5"],
    ["content that is null", [OPENING, chunk({ delta: { content: null } }), CLOSING, "[DONE]"], "6.1.5"],
    ["an early finish_reason", [OPENING, CLOSING, HELLO, CLOSING, "[DONE]"], "6.1.6"],
    ["no finish_reason", [OPENING, HELLO, "[DONE]"], "6.1.6"],
    ["no [DONE]", [OPENING, HELLO, CLOSING], "6.1.7"],
    ["nothing", [], "6.1.7"],
  ])("with %s is to be normalised", (_, lines, rule) => {
    expect(brokenIn(...lines)).toContainEqual(expect.stringMatching(new RegExp(`^${rule} `)));
  });

  test("with named events, or an event of several lines, is to be normalised [spec 6.1.2]", () => {
    const text = framed([OPENING, HELLO, CLOSING, "[DONE]"]);

    expect(examineChat(readSseEvents(`event: x\n${text}`)).broken).toEqual([
      "6.1.2 each event is one line that begins with data:",
    ]);
  });

  const recorded = recordings("chat").filter(({ lines }) => lines.length > 0);
  test.skipIf(recorded.length === 0)("as providers really send it breaks a rule more often than not", () => {
    const broken = recorded.filter(({ lines }) => brokenIn(...lines, "[DONE]").length > 0).map(({ name }) => name);

    expect(recorded).toHaveLength(19);
    expect(broken).toHaveLength(13);
    for (const clean of ["openai-text", "groq-text", "deepseek-text"]) {
      expect(broken).not.toContain(`${clean}.chunks.txt`);
    }
    expect(broken).toContain("groq-tool-call.chunks.txt");
  });
});

const START = { type: "message_start", message: { model: "m", usage: { input_tokens: 9 } } };
const DELTA = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } };
const STOP = { type: "message_stop" };

test("a stream of messages is held against what clients need: names, one beginning, a stop reason, an end", () => {
  const examine = (...events: object[]) => examineMessages(readSseEvents(named(events)));

  expect(examine(START, DELTA, STOP)).toEqual({
    broken: [],
    model: "m",
    usage: { inputTokens: 9, outputTokens: 2 },
  });
  expect(examine(START, START, DELTA, STOP).broken).toEqual(["message_start comes once"]);
  expect(examine(START, DELTA).broken).toEqual(["the last event is message_stop"]);
  expect(examine(START, STOP).broken).toEqual(["message_delta has a stop_reason"]);
  expect(
    examineMessages(readSseEvents(framed([START, DELTA, STOP].map((event) => JSON.stringify(event))))).broken,
  ).toEqual(["every event is named after its type"]);
});

test("a stream of responses is held against what clients need: names, numbers, steady ids, an end", () => {
  const item = (id: string, number: number) => ({
    type: "x.delta",
    sequence_number: number,
    output_index: 0,
    item_id: id,
  });
  const created = { type: "response.created", sequence_number: 0, response: { model: "m" } };
  const completed = (number: number) => ({
    type: "response.completed",
    sequence_number: number,
    response: { model: "m", usage: { input_tokens: 9, output_tokens: 2 } },
  });
  const examine = (...events: object[]) => examineResponses(readSseEvents(named(events)));

  expect(examine(created, item("a", 1), item("a", 2), completed(3))).toEqual({
    broken: [],
    model: "m",
    usage: { inputTokens: 9, outputTokens: 2 },
  });
  expect(examine(created, item("a", 1), item("b", 2), completed(3)).broken).toEqual(["an item keeps its id"]);
  expect(examine(created, completed(2)).broken).toEqual(["events are numbered from 0 on"]);
  expect(examine(created).broken).toEqual(["the last event is response.completed"]);
});
