import { expect, test } from "vitest";
import { recordings } from "../../../tests/support/recordings.ts";
import { Fault } from "../../core/fault.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readMessagesRequest } from "../../wire/messages/messages-request.ts";
import { readMessagesUsage } from "../../wire/messages/messages-usage.ts";
import { type AnswerStage, DROP, FAILED, PASS, TERMINAL } from "../answer-stage.ts";
import { messagesNormalised } from "./normalised.ts";
import { messagesUntouched } from "./untouched.ts";

const streams = recordings("messages").filter(({ lines }) => lines.length > 0);
const STREAMS = [messagesUntouched, messagesNormalised];

function request(extra: object = {}, headers: Record<string, string> = {}): GenerationRequest {
  const body = { model: "public-model", messages: [{ role: "user", content: "hi" }], stream: true, ...extra };
  return readMessagesRequest(parseBody(Buffer.from(JSON.stringify(body)), 64), headers);
}

const frame = (data: string): Buffer => {
  const { type } = JSON.parse(data) as { type: string };
  return Buffer.from(`event: ${type}\ndata: ${data}\n\n`);
};

/** Pushes events through a stage as the relay does: what the caller sees before the terminal event, and how it ended. */
function run(stage: AnswerStage, events: readonly Buffer[]): { text: string; ended: "whole" | "failed" | "open" } {
  let text = "";
  for (const event of events) {
    const verdict = stage.event(event, 0, event.length);
    if (verdict === TERMINAL) return { text, ended: "whole" };
    if (verdict === FAILED) return { text, ended: "failed" };
    if (verdict === PASS) text += event.toString();
    else if (verdict !== DROP) text += verdict.toString();
  }
  return { text, ended: "open" };
}

/** A recording may hold several answers one after the other; a stream is over with the first. */
function firstAnswer(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => line.includes('"message_stop"'));
  return lines.slice(0, end + 1);
}

test.skipIf(streams.length === 0).each(streams)("$name passes untouched up to its terminal event", ({ lines }) => {
  const events = firstAnswer(lines).map(frame);
  const stage = messagesUntouched.stage(request());
  const { text, ended } = run(stage, events);

  expect(ended).toBe("whole");
  expect(text + String(stage.terminal())).toBe(events.join(""));
});

test.skipIf(streams.length === 0).each(streams)(
  "the usage metered from $name is the usage recorded, cached tokens counted as input",
  ({ lines }) => {
    const seen = firstAnswer(lines).map((line) => JSON.parse(line) as Said);
    const usage = Object.assign({}, ...seen.map((event) => event.message?.usage ?? event.usage)) as Counts;
    const passes = usage.iterations ?? [usage];
    const sum = (count: (pass: Counts) => number): number => passes.reduce((total, pass) => total + count(pass), 0);
    for (const { stage: create } of STREAMS) {
      const stage = create(request());
      if (run(stage, firstAnswer(lines).map(frame)).ended === "failed") continue;

      expect(stage.usage()).toMatchObject({
        inputTokens: sum(
          (pass) => pass.input_tokens + (pass.cache_read_input_tokens ?? 0) + (pass.cache_creation_input_tokens ?? 0),
        ),
        outputTokens: sum((pass) => pass.output_tokens),
        cacheReadTokens: sum((pass) => pass.cache_read_input_tokens ?? 0),
      });
    }
  },
);

type Counts = {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens?: number;
  cache_creation_input_tokens?: number;
  iterations?: Counts[];
};
type Said = { type: string; message?: { usage?: Counts }; usage?: Counts };

test.skipIf(streams.length === 0).each(streams.filter(({ name }) => !name.startsWith("spliced")))(
  "$name, normalised, says everything once and under the public model id",
  ({ lines }) => {
    const stage = messagesNormalised.stage(request());
    const { text, ended } = run(stage, firstAnswer(lines).map(frame));
    const said = text
      .split("\n\n")
      .filter((event) => event !== "")
      .map((event) => JSON.parse(event.slice(event.indexOf("data: ") + 6)) as Said & { message?: { model: string } });

    expect(ended).toBe("whole");
    expect(said.filter(({ type }) => type === "message_start")).toMatchObject([{ message: { model: "public-model" } }]);
    const last = String(stage.terminal());
    expect(last.startsWith("event: message_delta\n")).toBe(true);
    expect(last.endsWith(`\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`)).toBe(true);
    expect(said.some(({ type }) => type === "message_stop")).toBe(false);
  },
);

test("two answers spliced into one are the provider's failure, not a whole answer", () => {
  const opening = frame(`{"type":"message_start","message":{"id":"a","content":[]}}`);
  const block = frame(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`);

  expect(run(messagesNormalised.stage(request()), [opening, block, opening]).ended).toBe("failed");
});

test("the input is known from the first event, before any output is", () => {
  const opening = frame(
    `{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":7,"cache_creation_input_tokens":11,"cache_creation":{"ephemeral_5m_input_tokens":8,"ephemeral_1h_input_tokens":3},"output_tokens":1}}}`,
  );
  for (const { stage: create } of STREAMS) {
    const stage = create(request());
    run(stage, [opening]);

    expect(stage.usage()).toBeNull();
    expect(stage.inputUsage()).toMatchObject({
      inputTokens: 23,
      outputTokens: 0,
      cacheReadTokens: 7,
      cacheWriteTokens: 11,
      cacheWrite1hTokens: 3,
    });
  }
});

test("what was generated is remembered, whichever kind of block it stood in", () => {
  const delta = (value: object): Buffer =>
    frame(JSON.stringify({ type: "content_block_delta", index: 0, delta: value }));
  const stage = messagesUntouched.stage(request());
  run(stage, [
    delta({ type: "thinking_delta", thinking: "hm " }),
    delta({ type: "signature_delta", signature: "c2ln" }),
    delta({ type: "text_delta", text: 'say "text" ' }),
    delta({ type: "input_json_delta", partial_json: '{"a":1}' }),
    delta({ type: "citations_delta", citation: { type: "page", cited_text: "long" } }),
  ]);

  expect(stage.delivered.text()).toBe('hm say "text" {"a":1}');
});

test("an error event, and a broken one where it matters, are the provider's failure", () => {
  for (const { stage } of STREAMS) {
    expect(run(stage(request()), [frame(`{"type":"error","error":{"type":"overloaded_error"}}`)]).ended).toBe("failed");
    expect(run(stage(request()), [Buffer.from("event: message_delta\ndata: {\n\n")]).ended).toBe("failed");
  }
});

test("events without a name are understood, and named where the route is normalised", () => {
  const start = `{"type":"message_start","message":{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`;
  const unnamed = [start, `{"type":"ping"}`, `{"type":"message_stop"}`].map((data) => Buffer.from(`data: ${data}\n\n`));

  expect(run(messagesUntouched.stage(request()), unnamed)).toMatchObject({ ended: "whole" });
  expect(run(messagesNormalised.stage(request()), unnamed).text).toMatch(
    /^event: message_start\ndata: .*\n\nevent: ping\ndata: \{"type":"ping"\}\n\n$/,
  );
});

test("a stream that closes after its stop reason is whole where the route is normalised, and nowhere else", () => {
  const last = frame(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`);
  const [untouched, normalised] = STREAMS.map(({ stage: create }) => {
    const stage = create(request());
    run(stage, [last]);
    stage.close();
    return stage.terminal();
  });

  expect(untouched).toBeNull();
  expect(normalised?.toString()).toContain("message_stop");
});

test("a failure after content is an `error` event, and a sign of life a `ping` [interface decision 30] [interface decision 34] [STR-22] [STR-34]", () => {
  const stage = messagesUntouched.stage(request());
  const failure = stage.failure(new Fault("upstream_error", "It broke."), "req_1").toString();

  expect(failure).toMatch(/^event: error\ndata: \{.+\}\n\n$/);
  expect(JSON.parse(failure.slice(failure.indexOf("{")))).toMatchObject({
    type: "error",
    error: { type: "api_error", message: "It broke.", code: "upstream_error" },
    request_id: "req_1",
  });
  expect(stage.keepAlive.toString()).toBe(`event: ping\ndata: {"type":"ping"}\n\n`);
});

test("only what must differ is changed in the request", () => {
  const text = `{"model": "public-model", "max_tokens":99,"messages":[{"role":"user","content":"hi"}], "seed": 12345678901234567890}`;
  const read = readMessagesRequest(parseBody(Buffer.from(text), 64), {});
  const told = { upstreamModel: "provider-model", maxOutputTokens: null };

  expect(messagesNormalised.request(read, told).toString()).toBe(text.replace("public-model", "provider-model"));
  expect(JSON.parse(messagesUntouched.request(read, told).toString())).toMatchObject({ service_tier: "standard_only" });
  expect(messagesNormalised.request(read, { ...told, maxOutputTokens: 7 }).toString()).toContain(`"max_tokens":7`);
});

test("a request without a limit is sent the default one [spec 2.9]", () => {
  const told = { upstreamModel: "m", maxOutputTokens: null };

  expect(JSON.parse(messagesUntouched.request(request(), told).toString())).toMatchObject({ max_tokens: 1024 });
});

test("a whole answer is read, and on a normalised route only its model is another", () => {
  const answer = `{"type":"message", "model":"m","content":[],"big":12345678901234567890,"usage":{"input_tokens":1,"output_tokens":2}}`;
  const bytes = Buffer.from(answer);

  expect(messagesUntouched.plain(bytes, request()).bytes).toBe(bytes);
  expect(messagesNormalised.plain(bytes, request())).toMatchObject({ usage: { inputTokens: 1, outputTokens: 2 } });
  expect(messagesNormalised.plain(bytes, request()).bytes.toString()).toBe(answer.replace(`"m"`, `"public-model"`));
  for (const { plain } of STREAMS) expect(() => plain(Buffer.from("{}"), request())).toThrow("not a message");
});

test("usage that cannot be true is not used", () => {
  for (const wrong of [-1, 1.5, 1e18, "12", {}]) {
    expect(readMessagesUsage({ input_tokens: 1, output_tokens: wrong })).toBeNull();
    expect(readMessagesUsage({ input_tokens: 1, output_tokens: 1, cache_read_input_tokens: wrong })).toBeNull();
  }
});

test("calls of the provider's own tools are counted by name", () => {
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
  };

  expect(readMessagesUsage(usage)?.toolCalls).toEqual({ web_search: 2 });
});
