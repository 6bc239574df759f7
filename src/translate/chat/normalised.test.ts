import { expect, test } from "vitest";
import { readChatRequest } from "../../wire/chat/chat-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { chatNormalised } from "./normalised.ts";

const BODY = { model: "public-model", messages: [{ role: "user", content: "hi" }], stream: true };
const request = readChatRequest(parseBody(Buffer.from(JSON.stringify(BODY)), 64));

/** What the caller sees of one chunk that is not the first of its choice. */
function normalised(chunk: object): unknown {
  const stage = chatNormalised.stage(request);
  const say = (value: object): string => {
    const event = Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
    const verdict = stage.event(event, 0, event.length);
    return Buffer.isBuffer(verdict) ? verdict.toString() : "";
  };
  say({ ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] });
  return JSON.parse(say(chunk).replace(/^data: /, ""));
}

const CHUNK = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "provider-model",
  system_fingerprint: "fp_1",
  x_provider: { region: ["east", null] },
  choices: [
    {
      index: 0,
      delta: { content: "héllo", reasoning_content: "hm", annotations: [{ type: "x" }] },
      logprobs: { content: [{ token: "h", logprob: -0.1 }] },
      finish_reason: null,
    },
  ],
};

test("a chunk that keeps the rules is left as it is but for the model's public name [STR-28] [STR-29]", () => {
  expect(normalised(CHUNK)).toEqual({ ...CHUNK, model: "public-model" });
});

test.each<[what: string, broken: object, repaired: object]>([
  ["no object", { object: undefined }, {}],
  ["another kind of object", { object: "chunk" }, {}],
  [
    "no index and no finish reason",
    { choices: [{ delta: { content: "x" } }] },
    { choices: [{ index: 0, delta: { content: "x" }, finish_reason: null }] },
  ],
])("of a chunk with %s nothing is changed but that [STR-27] [STR-28]", (_what, broken, repaired) => {
  expect(normalised({ ...CHUNK, ...broken })).toEqual({ ...CHUNK, model: "public-model", ...repaired });
});

/** The numbers that the caller sees of calls, each in a chunk of its own. */
function numbersOf(calls: readonly object[]): unknown[] {
  const stage = chatNormalised.stage(request);
  return calls.map((call) => {
    const event = Buffer.from(
      `data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`,
    );
    const verdict = stage.event(event, 0, event.length);
    const [, number] = /"tool_calls":\[\{.*?"index":(\d+)/.exec(String(verdict)) ?? [];
    return Number(number);
  });
}

const named = (name: string) => ({ function: { name, arguments: "{" } });
const REST = { function: { arguments: "}" } };

test("calls in chunks of their own are told apart by their names where a provider gives neither number nor id", () => {
  expect(numbersOf([named("f"), REST, named("f"), REST, named("g"), REST])).toEqual([0, 0, 1, 1, 2, 2]);
  expect(
    numbersOf([
      { id: "", ...named("f") },
      { id: null, index: null, ...named("g") },
    ]),
  ).toEqual([0, 1]);
});

test("calls without a number are told apart by their ids", () => {
  expect(numbersOf([{ id: "a", ...named("f") }, { id: "b", ...named("f") }, REST, { id: "a", ...REST }])).toEqual([
    0, 1, 1, 0,
  ]);
});

test("a name that is repeated with every fragment of a numbered call is no other call [STR-27]", () => {
  expect(
    numbersOf([
      { index: 0, ...named("f") },
      { index: 0, ...named("f") },
    ]),
  ).toEqual([0, 0]);
});
