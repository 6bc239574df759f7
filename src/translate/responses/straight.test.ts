import { expect, test } from "vitest";
import { recordings } from "../../../tests/support/recordings.ts";
import { Fault } from "../../core/fault.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readResponsesRequest } from "../../wire/responses/responses-request.ts";
import { readResponsesUsage } from "../../wire/responses/responses-usage.ts";
import { type AnswerStage, DROP, FAILED, PASS, TERMINAL } from "../answer-stage.ts";
import { readEvent } from "../read-event.ts";
import { responsesNormalised } from "./normalised.ts";
import { responsesUntouched } from "./untouched.ts";

/** One recording lacks a closing brace in its last event; what becomes of that is a test of its own. */
const BROKEN = "parallel-tool-call-wrapper.1.chunks.txt";
const FAILING = "openai-error.1.chunks.txt";
const streams = recordings("responses").filter(({ lines }) => lines.length > 0);
const whole = streams.filter(({ name }) => name !== BROKEN && name !== FAILING);
const STREAMS = [responsesUntouched, responsesNormalised];

function request(extra: object = {}): GenerationRequest {
  const body = { model: "public-model", input: "hi", stream: true, ...extra };
  return readResponsesRequest(parseBody(Buffer.from(JSON.stringify(body)), 64));
}

type Event = {
  type: string;
  sequence_number: number;
  output_index?: number;
  item_id?: string;
  item?: { id?: string };
  response?: { id: string; model: string; status: string; usage?: Record<string, number>; output: { id?: string }[] };
};

const typeIn = (line: string): string => /"type":"(response\.\w+(?:\.\w+)?|error)"/.exec(line)?.[1] ?? "";
const frame = (data: string): Buffer => Buffer.from(`event: ${typeOf(data)}\ndata: ${data}\n\n`);
function typeOf(data: string): string {
  try {
    return (JSON.parse(data) as Event).type;
  } catch {
    return typeIn(data);
  }
}

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

const eventsIn = (text: string): Event[] =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.slice(event.indexOf("data: ") + 6)) as Event);

/** A recording may hold several answers one after the other; a stream is over with the first. */
function firstAnswer(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => typeOf(line) === "response.completed");
  return lines.slice(0, end + 1);
}

test.skipIf(whole.length === 0).each(whole)("$name passes untouched up to its terminal event", ({ lines }) => {
  const events = firstAnswer(lines).map(frame);
  const stage = responsesUntouched.stage(request());
  const { text, ended } = run(stage, events);

  expect(ended).toBe("whole");
  expect(text + String(stage.terminal())).toBe(events.join(""));
});

test.skipIf(whole.length === 0).each(whole)("the usage metered from $name is the usage recorded", ({ lines }) => {
  const last = JSON.parse(firstAnswer(lines).at(-1) ?? "") as Event;
  for (const { stage: create } of STREAMS) {
    const stage = create(request());
    run(stage, firstAnswer(lines).map(frame));

    expect(stage.usage()).toMatchObject({
      inputTokens: last.response?.usage?.["input_tokens"],
      outputTokens: last.response?.usage?.["output_tokens"],
    });
  }
});

test.skipIf(whole.length === 0).each(whole)(
  "$name, normalised, keeps one id per response and item, counts its events, and names the public model",
  ({ lines }) => {
    const stage = responsesNormalised.stage(request());
    const { text } = run(stage, firstAnswer(lines).map(frame));
    const events = [...eventsIn(text), ...eventsIn(String(stage.terminal()))];

    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const responses = events.flatMap(({ response }) => (response ? [response] : []));
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
    expect(new Set(responses.map(({ model }) => model))).toEqual(new Set(["public-model"]));
    const ids = new Map<number, string>();
    for (const { output_index: place, item_id: itemId, item } of events) {
      const id = itemId ?? item?.id;
      if (place === undefined || id === undefined) continue;
      expect(ids.get(place) ?? id).toBe(id);
      ids.set(place, id);
    }
  },
);

test("a recorded failure ends as a failure, with the number that follows and the same id [STR-21]", () => {
  const lines = streams.find(({ name }) => name === FAILING)?.lines;
  if (lines === undefined) return;
  for (const { stage: create } of STREAMS) {
    const stage = create(request());
    const { text, ended } = run(stage, lines.map(frame));
    const [failure] = eventsIn(stage.failure(new Fault("upstream_error", "It broke."), "req_1").toString());
    const told = eventsIn(text);

    expect(ended).toBe("failed");
    expect(failure).toMatchObject({
      type: "response.failed",
      sequence_number: told.length,
      response: {
        id: told[0]?.response?.id,
        status: "failed",
        error: { code: "upstream_error", message: "It broke." },
      },
    });
  }
});

test("a last event that cannot be read is a failure: nobody could say what the answer cost", () => {
  for (const { stage } of STREAMS) {
    const broken = Buffer.from(`event: response.completed\ndata: {"type":"response.completed","response":{\n\n`);
    expect(run(stage(request()), [broken]).ended).toBe("failed");
    expect(run(stage(request()), [frame(`{"type":"response.completed"}`)]).ended).toBe("failed");
  }
});

test("what was generated is counted once, though later events repeat it", () => {
  const events = [
    `{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"hm "}`,
    `{"type":"response.output_item.done","output_index":0,"item":{"id":"r","type":"reasoning","summary":[{"type":"summary_text","text":"hm "}]}}`,
    `{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"say \\"delta\\" "}`,
    `{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"say it"}`,
    `{"type":"response.output_item.added","output_index":2,"item":{"id":"c","type":"function_call","name":"f","arguments":""}}`,
    `{"type":"response.function_call_arguments.delta","output_index":2,"item_id":"c","delta":"{}"}`,
    `{"type":"response.output_item.done","output_index":2,"item":{"id":"c","type":"function_call","name":"f","arguments":"{}"}}`,
    `{"type":"response.completed","response":{"output":[{"id":"c","type":"function_call","name":"f","arguments":"{}"}]}}`,
  ];
  for (const { stage: create } of STREAMS) {
    const stage = create(request());
    run(stage, events.map(frame));

    expect(stage.delivered.text()).toBe('hm say "delta" f{}');
    expect(stage.delivered.thoughtBytes).toBe(3);
  }
});

test("an answer cut short by its limit is whole", () => {
  const event = frame(`{"type":"response.incomplete","response":{"usage":{"input_tokens":1,"output_tokens":2}}}`);
  const stage = responsesUntouched.stage(request());

  expect(run(stage, [event]).ended).toBe("whole");
  expect(stage.usage()).toMatchObject({ inputTokens: 1, outputTokens: 2 });
});

test("a failure before the stream said anything still is a whole event", () => {
  const stage = responsesUntouched.stage(request());
  const [event] = eventsIn(stage.failure(new Fault("upstream_timeout", "Too long."), "req_0a").toString());

  expect(event).toMatchObject({
    sequence_number: 0,
    response: { id: "resp_0a", object: "response", output: [], error: { code: "upstream_error" } },
  });
});

test("nothing is kept at the provider, and only what must differ is changed besides", () => {
  const text = `{"model": "public-model", "input":"hi", "seed": 12345678901234567890}`;
  const read = readResponsesRequest(parseBody(Buffer.from(text), 64));
  const told = { upstreamModel: "provider-model", maxOutputTokens: null };

  expect(responsesNormalised.request(read, told).toString()).toBe(
    `${text.replace("public-model", "provider-model").slice(0, -1)},"store":false}`,
  );
  expect(JSON.parse(responsesUntouched.request(read, told).toString())).toMatchObject({ service_tier: "default" });
  expect(JSON.parse(responsesUntouched.request(read, { ...told, maxOutputTokens: 7 }).toString())).toMatchObject({
    max_output_tokens: 7,
  });
});

test("thoughts are asked for beside what the caller asks for, once", () => {
  const told = { upstreamModel: "public-model", maxOutputTokens: null, thoughts: true };
  const sent = (text: string): string =>
    responsesNormalised.request(readResponsesRequest(parseBody(Buffer.from(text), 64)), told).toString();
  const [own, thoughts] = [`"message.output_text.logprobs"`, `"reasoning.encrypted_content"`];
  const body = (include: string): string => `{"model":"public-model","input":"hi"${include}`;

  expect(sent(body("}"))).toBe(body(`,"store":false,"include":[${thoughts}]}`));
  expect(sent(body(`,"include":[ ${own} ]}`))).toBe(body(`,"include":[${own},${thoughts}],"store":false}`));
  expect(sent(body(`,"include":[${thoughts}, ${own}]}`))).toBe(body(`,"include":[${thoughts},${own}],"store":false}`));
  expect(sent(body(`,"include":null}`))).toBe(body(`,"store":false,"include":[${thoughts}]}`));
});

test("a whole answer is read, and on a normalised route only its model is another", () => {
  const answer = `{"object":"response", "model":"m","output":[],"big":12345678901234567890,"usage":{"input_tokens":1,"output_tokens":2}}`;
  const bytes = Buffer.from(answer);

  expect(responsesUntouched.plain(bytes, request()).bytes).toBe(bytes);
  expect(responsesNormalised.plain(bytes, request()).bytes.toString()).toBe(answer.replace(`"m"`, `"public-model"`));
  for (const { plain } of STREAMS) {
    expect(() => plain(Buffer.from("{}"), request())).toThrow("not a completed response");
    expect(() => plain(Buffer.from(answer.replace("{", `{"status":"failed",`)), request())).toThrow("not a completed");
  }
});

test("calls of the provider's own tools are counted by name, those the caller runs are not", () => {
  const output = ["web_search_call", "function_call", "web_search_call", "mcp_call"].map((type) => ({ type }));

  expect(readResponsesUsage({ output, usage: { input_tokens: 1, output_tokens: 1 } })?.toolCalls).toEqual({
    web_search: 2,
    mcp: 1,
  });
});

const CHARGED = { ...NO_USAGE, inputTokens: 3, outputTokens: 4 };
const LAST = `{"type":"response.completed", "response":{"id":"r","big":12345678901234567890,"usage":{"input_tokens":1,"output_tokens":2},"output":[ ]},"x":1}`;

test("a last event that shows another usage keeps every other byte of the provider", () => {
  const stage = responsesUntouched.stage(request());
  const event = Buffer.from(`event: response.completed\ndata: ${LAST}\n\n`);
  expect(stage.event(event, 0, event.length)).toBe(TERMINAL);
  const [before = "", after = ""] = event.toString().split(`{"input_tokens":1,"output_tokens":2}`);
  const shown = String(stage.terminal(CHARGED));

  expect([shown.startsWith(before), shown.endsWith(after)]).toEqual([true, true]);
  expect(JSON.parse(shown.slice(before.length, -after.length))).toMatchObject({ input_tokens: 3, output_tokens: 4 });
  expect(String(stage.terminal({ ...NO_USAGE, inputTokens: 1, outputTokens: 2 }))).toContain(`"input_tokens":1`);
});

test.each([
  ["lines that end otherwise", `event: response.completed\r\ndata: ${LAST}\r\n\r\n`],
  ["its name after its data", `data: ${LAST}\nevent: response.completed\n\n`],
  ["an id before its name", `id: data: 7\nevent: response.completed\ndata: ${LAST}\n\n`],
  ["data in two lines", `data: ${LAST.slice(0, 29)}\ndata: ${LAST.slice(29)}\n\n`],
  ["no space before its data", `data:${LAST}\n\n`],
  ["a response that is named twice", `data: {"response":{"data: ":1},${LAST.slice(1)}\n\n`],
])("a last event with %s shows the usage that is charged, too", (_, text) => {
  const stage = responsesUntouched.stage(request());
  const event = Buffer.from(text);
  expect(stage.event(event, 0, event.length)).toBe(TERMINAL);
  const before = readEvent(event) as { response: object };

  expect(readEvent(stage.terminal(CHARGED) as Buffer)).toEqual({
    ...before,
    response: { ...before.response, usage: expect.objectContaining({ input_tokens: 3, output_tokens: 4 }) as object },
  });
});

test("usage that cannot be true is not used", () => {
  for (const wrong of [-1, 1.5, 1e18, "12", null]) {
    expect(readResponsesUsage({ usage: { input_tokens: 1, output_tokens: wrong } })).toBeNull();
  }
});
