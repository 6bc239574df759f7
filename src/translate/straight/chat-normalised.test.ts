import { expect, test } from "vitest";
import { readChatRequest } from "../../wire/chat/chat-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { chatNormalised } from "./chat-normalised.ts";

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
