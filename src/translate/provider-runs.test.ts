import { describe, expect, test } from "vitest";
import { recordings } from "../../tests/support/recordings.ts";
import { requestOf } from "../../tests/translation/request-of.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { Json } from "../core/bytes/json.ts";
import type { Usage } from "../core/money/usage.ts";
import { readMessagesUsage } from "../wire/messages/messages-usage.ts";
import { readResponsesUsage } from "../wire/responses/responses-usage.ts";
import type { AnswerStage, ProviderRuns } from "./answer-stage.ts";
import { pickTranslator } from "./pick-translator.ts";

type Dialect = "messages" | "responses";
const BODIES = {
  messages: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "x" }] },
  responses: { model: "m", input: "x" },
};
const stageOf = (dialect: Dialect, conformant: boolean): AnswerStage => {
  const request = requestOf(dialect, { ...BODIES[dialect], stream: true });
  return pickTranslator(dialect, { dialect, conformant }).stage(request, { requestId: "req_1", createdAtSeconds: 1 });
};

function feed(stage: AnswerStage, ...events: Json[]): ProviderRuns | undefined {
  for (const event of events) {
    const bytes = Buffer.from(`event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`);
    stage.event(bytes, 0, bytes.length);
  }
  return stage.providerRuns?.();
}

const STARTED = {
  type: "message_start",
  message: { usage: { input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 1 } },
};
const block = (content: Json): Json => ({ type: "content_block_start", index: 0, content_block: content });
const SEARCH = block({ type: "server_tool_use", id: "s", name: "web_search", input: {} });
const found = (letters: number): Json =>
  block({ type: "web_search_tool_result", content: [{ encrypted_content: "x".repeat(letters) }] });
const TEXT = block({ type: "text", text: "" });

describe.each([true, false])("what tools of the provider have done in a stream, conformant: %s", (conformant) => {
  test("a search of messages adds what it found and what is read again, once the model goes on", () => {
    const stage = stageOf("messages", conformant);
    const letters = 4_000 - JSON.stringify([{ encrypted_content: "" }]).length;

    expect(feed(stage, STARTED, SEARCH)).toEqual({ toolCalls: {}, inputTokens: 0, running: true });
    expect(feed(stage, found(letters))).toEqual({ toolCalls: { web_search: 1 }, inputTokens: 0, running: false });
    // The cache is not read at the price of input.
    expect(feed(stage, TEXT, TEXT)?.inputTokens).toBe(100 + 1_000);
    // Two at once are read at once.
    expect(feed(stage, SEARCH, SEARCH, found(letters), found(letters), TEXT)).toMatchObject({
      toolCalls: { web_search: 3 },
      inputTokens: 1_100 + 100 + 3_000,
    });
  });

  test("what failed is not billed, and a file is not counted by its letters", () => {
    const stage = stageOf("messages", conformant);
    const failed = block({ type: "web_search_tool_result", content: { type: "web_search_tool_result_error" } });
    const source = { type: "base64", data: "x".repeat(9_999) };
    const file = block({ type: "web_fetch_tool_result", content: { type: "web_fetch_result", content: { source } } });
    const other = block({ type: "tool_search_tool_result", content: [] });

    expect(feed(stage, STARTED, failed, TEXT, other)).toMatchObject({ toolCalls: {}, inputTokens: 100 });
    expect(feed(stage, file)?.toolCalls).toEqual({ web_fetch: 1 });
    expect(feed(stage, TEXT)?.inputTokens).toBe(200);
  });

  test("a search of responses is one when it has ended, and a page is none", () => {
    const stage = stageOf("responses", conformant);
    const event = (type: string, item: Json): Json => ({ type: `response.output_item.${type}`, output_index: 0, item });
    const call = (fields: Json): Json => ({ id: "ws", type: "web_search_call", ...fields });

    expect(feed(stage, event("added", call({})))).toEqual({ toolCalls: {}, inputTokens: 0, running: true });
    expect(feed(stage, event("done", call({ status: "completed", action: { type: "search" } })))).toEqual({
      toolCalls: { web_search: 1 },
      inputTokens: 0,
      running: false,
    });
    for (const fields of [{ action: { type: "open_page" } }, { status: "failed", action: { type: "search" } }])
      feed(stage, event("added", call({})), event("done", call(fields)));
    expect(stage.providerRuns?.().toolCalls).toEqual({ web_search: 1 });
    expect(feed(stage, event("done", { type: "message" }))?.running).toBe(false);
  });
});

const RECORDED = (["messages", "responses"] as const).flatMap((dialect) =>
  recordings(dialect)
    .filter(({ name, lines }) => lines.length > 0 && /web-(search|fetch)/.test(name))
    .map(({ name, lines }) => ({ dialect, name, lines })),
);

test.each(RECORDED)(
  "of $name, left before its end, no more is charged than its provider billed, and every search",
  ({ dialect, lines }) => {
    const events = lines.map((line) => JSON.parse(line) as Json);
    const isEnd = ({ type }: Json): boolean => type === "message_delta" || type === "response.completed";
    const end = events.find((event) => isEnd(event)) ?? {};
    const start = isObject(events[0]?.["message"]) ? (events[0]["message"]["usage"] as Json) : {};
    const stage = stageOf(dialect, true);
    const runs = feed(
      stage,
      ...events.slice(
        0,
        events.findIndex((event) => isEnd(event)),
      ),
    );
    const billed =
      dialect === "messages"
        ? readMessagesUsage({ ...start, ...(end["usage"] as Json) })
        : readResponsesUsage(end["response"]);

    expect(runs?.toolCalls).toEqual(billed?.toolCalls);
    expect((stage.inputUsage()?.inputTokens ?? 0) + (runs?.inputTokens ?? 0)).toBeLessThanOrEqual(
      billed?.inputTokens ?? 0,
    );
    if (dialect === "messages" && billed !== null)
      expect((stage.inputUsage()?.inputTokens ?? 0) + (runs?.inputTokens ?? 0)).toBeGreaterThan(
        billed.inputTokens * 0.7,
      );
  },
);

test("a search of Google's is one from the first word on, and at the end what Google says, which may be none", () => {
  const told = (...grounding: Json[]) => {
    const request = requestOf("messages", {
      ...BODIES.messages,
      stream: true,
      tools: [{ type: "web_search_20250305", name: "web_search" }],
    });
    const stage = pickTranslator("messages", { dialect: "gemini", conformant: true }).stage(request, {
      requestId: "req_1",
      createdAtSeconds: 1,
    });
    const say = (text: string, more: Json): Usage["toolCalls"] | undefined => {
      const candidate = { content: { parts: [{ text }] }, index: 0, ...more };
      const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 };
      const bytes = Buffer.from(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\r\n\r\n`);
      stage.event(bytes, 0, bytes.length);
      return stage.usage()?.toolCalls;
    };
    const first = say("Twice ", {});
    const runs = stage.providerRuns?.().toolCalls;
    const [found = {}] = grounding;
    say("a day.", { finishReason: "STOP", ...found });
    stage.close();
    return { first, runs, last: stage.usage()?.toolCalls };
  };
  const one = { web_search: 1, grounded_prompt: 1 };

  expect(told()).toEqual({ first: one, runs: one, last: {} });
  expect(told({ groundingMetadata: { webSearchQueries: ["a", "b"] } })).toEqual({
    first: one,
    runs: one,
    last: { web_search: 2, grounded_prompt: 1 },
  });
});
