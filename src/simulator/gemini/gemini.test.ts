import { expect, test } from "vitest";
import type { JsonObject } from "../dialect.ts";
import { planGeneration } from "../plan/generation.ts";
import { seal } from "../plan/proof.ts";
import { DEFAULT_SCRIPT, parseSettings } from "../plan/script.ts";
import { gemini } from "./gemini.ts";
import { geminiRoute } from "./gemini-route.ts";

const user = { role: "user", parts: [{ text: "x" }] };
const call = (id?: string, thoughtSignature?: string) => ({
  functionCall: { name: "weather", args: {}, ...(id !== undefined && { id }) },
  ...(thoughtSignature !== undefined && { thoughtSignature }),
});
const response = (id?: string) => ({
  functionResponse: { name: "weather", response: { output: "cold" }, ...(id !== undefined && { id }) },
});
const model = (...parts: object[]) => ({ role: "model", parts });
const results = (...parts: object[]) => ({ role: "user", parts });
const read =
  (...contents: object[]) =>
  () =>
    gemini.read({ contents });
const reading = (extra: JsonObject) => () => gemini.read({ contents: [user], ...extra });

function answerTo(settings: string, extra: JsonObject = {}): { plain: JsonObject; events: JsonObject[] } {
  const script = { ...DEFAULT_SCRIPT, ...parseSettings(settings) };
  const ask = gemini.read({ contents: [user], ...extra }, { model: "sim", streamed: true });
  const generation = planGeneration({ ask, script, id: "7", nowMs: 0 });
  const encoder = gemini.encode(generation);
  const events = encoder.stretches.flatMap(({ tokens, token }) =>
    Array.from({ length: tokens }, (_, index) => token(index)),
  );
  return {
    plain: JSON.parse(gemini.answer(generation)) as JsonObject,
    events: [...events, ...encoder.closing()]
      .filter((event) => event !== "")
      .map((event) => JSON.parse(event.slice(6)) as JsonObject),
  };
}

const partsOf = ({ candidates }: JsonObject): JsonObject[] =>
  (candidates as { content?: { parts: JsonObject[] } }[])[0]?.content?.parts ?? [];

test("each event tells what was used so far, thoughts beside the candidates and cached tokens inside the prompt", () => {
  const { plain, events } = answerTo("tokens=2+thinking=3+input=10+cached=4", {
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  });
  const counts = events.map(({ usageMetadata }) => {
    const { candidatesTokenCount, thoughtsTokenCount } = usageMetadata as JsonObject;
    return `${String(thoughtsTokenCount)} ${String(candidatesTokenCount)}`;
  });

  expect(counts).toEqual(["1 0", "2 0", "3 0", "3 1", "3 2", "3 2"]);
  expect(plain["usageMetadata"]).toEqual({
    promptTokenCount: 10,
    candidatesTokenCount: 2,
    totalTokenCount: 15,
    cachedContentTokenCount: 4,
    thoughtsTokenCount: 3,
  });
  expect(events.at(-1)?.["usageMetadata"]).toEqual(plain["usageMetadata"]);
});

test("thoughts are shown to who asks for them, and counted either way", () => {
  const shown = answerTo("tokens=1+thinking=2", { generationConfig: { thinkingConfig: { includeThoughts: true } } });
  const unasked = answerTo("tokens=1+thinking=2");

  expect(partsOf(shown.plain)).toMatchObject([{ text: "Considering harbor", thought: true }, { text: "amber" }]);
  expect(partsOf(unasked.plain)).toMatchObject([{ text: "amber" }]);
  expect(unasked.plain["usageMetadata"]).toMatchObject({ thoughtsTokenCount: 2 });
});

test("a signature stands with the first call, or with the last words of an answer without calls", () => {
  const { plain, events } = answerTo("tokens=2+thinking=2+words=1+tools=a,b");
  const words = answerTo("tokens=2+thinking=2").events.map((event) => partsOf(event)[0]?.["thoughtSignature"]);
  const signed = (parts: JsonObject[]) => parts.map(({ thoughtSignature }) => thoughtSignature !== undefined);

  expect(signed(partsOf(plain))).toEqual([false, true, false]);
  expect(events.flatMap((event) => signed(partsOf(event)))).toEqual([false, true, false, false]);
  expect(words.map((signature) => typeof signature)).toEqual(["undefined", "undefined", "string"]);
});

test("calls that are written side by side come in one event, others in one each", () => {
  expect(answerTo("tokens=2+tools=a,b+interleaved").events.map((event) => partsOf(event).length)).toEqual([2, 1]);
  expect(answerTo("tokens=2+tools=a,b").events.map((event) => partsOf(event).length)).toEqual([1, 1, 1]);
  expect(answerTo("tokens=9+tool=a", { generationConfig: { maxOutputTokens: 3 } }).plain).toMatchObject({
    candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS" }],
  });
});

test("a refusal has no words, and that of a prompt no candidate", () => {
  expect(answerTo("tokens=2+refusal").events).toMatchObject([
    { candidates: [{ finishReason: "SAFETY", finishMessage: "Declining harbor" }] },
  ]);
  expect(answerTo("tokens=0+refusal").plain).toMatchObject({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
  expect(answerTo("tokens=0+refusal").plain).not.toHaveProperty("candidates");
});

test("names that Google has no field for are refused with their place", () => {
  const strict = { type: "OBJECT", properties: { a: { type: "STRING", additionalProperties: false } } };

  expect(reading({ model: "m" })).toThrow('Unknown name "model": Cannot find field.');
  expect(reading({ generationConfig: { topp: 1 } })).toThrow(`"topp" at 'generation_config'`);
  expect(reading({ tools: [{ functionDeclarations: [{ name: "f", parameters: strict }] }] })).toThrow(
    `"additionalProperties" at 'tools[0].function_declarations[0].parameters.properties[0].value'`,
  );
  expect(reading({ tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: strict }] }] })).not.toThrow();
});

test("a call is answered right behind it, under its name and id", () => {
  expect(read(user, model(call(), call()), results(response(), response()))).not.toThrow();
  expect(read(user, model(call("a"), call("b")), results(response("b"), response("a")), user)).not.toThrow();
  expect(read(user, model(call(), call()), results(response()))).toThrow("number of function response parts");
  expect(read(user, model(call()))).toThrow("number of function response parts");
  expect(read(user, model(call("a")), results(response("b")))).toThrow("no function call for");
  expect(read(results(response()))).toThrow("comes immediately after a function call turn");
  expect(read(model(call()), results(response()))).toThrow("comes immediately after a user turn");
});

test("a part says one thing, in a form that Google can read", () => {
  expect(read({ role: "user", parts: [] })).toThrow("must not be empty");
  expect(read({ role: "user", parts: [{ thought: true }] })).toThrow("must have one initialized field");
  expect(read({ role: "assistant", parts: [{ text: "x" }] })).toThrow("valid role");
  expect(read({ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "no base64!" } }] })).toThrow(
    "Base64",
  );
  expect(read(user, model({ functionCall: { name: "f", args: "{}" } }), results(response()))).toThrow("Struct");
});

test("a call that came with a signature comes back with it while its turn lasts, and with no other", () => {
  const signature = seal("thought", "7:call");

  expect(read(user, model(call("fct_7_0", signature)), results(response("fct_7_0")))).not.toThrow();
  expect(read(user, model(call("fct_7_0")), results(response("fct_7_0")))).toThrow("missing a thought_signature");
  expect(read(user, model(call("fct_7_0")), results(response("fct_7_0")), user)).not.toThrow();
  expect(read(user, model(call("fct_8_0", signature)), results(response("fct_8_0")))).toThrow("Corrupted");
  expect(read(user, model({ text: "x", thoughtSignature: signature }))).toThrow("Corrupted");
  expect(read(user, model(call("x", "skip_thought_signature_validator")), results(response("x")))).not.toThrow();
});

test.each([
  [{ generationConfig: { candidateCount: 2 } }, "Multiple candidates"],
  [{ generationConfig: { stopSequences: ["1", "2", "3", "4", "5", "6"] } }, "up to 5"],
  [{ generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "LOW" } } }, "only one of"],
  [{ generationConfig: { thinkingConfig: { thinkingLevel: "EXTREME" } } }, "thinking_level"],
  [{ generationConfig: { responseJsonSchema: {} } }, "response_mime_type"],
  [{ generationConfig: { maxOutputTokens: 0 } }, "maxOutputTokens"],
  [{ tools: [{ functionDeclarations: [{ name: "1st" }] }] }, "Must start with a letter"],
  [{ tools: [{ functionDeclarations: [{ name: "f" }, { name: "f" }] }] }, "Duplicate"],
  [{ toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["f"] } } }, "mode is ANY"],
])("a request with %j is refused", (extra, words) => {
  expect(reading(extra)).toThrow(words);
});

test("the path names the model, encoded as a path wants it, and whether the answer is streamed", () => {
  expect(geminiRoute("POST", "/v1beta/models/a%2Fb%3Ac:generateContent", "")).toEqual({
    operation: "generate",
    named: { model: "a/b:c", streamed: false },
  });
  expect(geminiRoute("POST", "/v1beta/models/m:streamGenerateContent", "alt=sse")?.named).toEqual({
    model: "m",
    streamed: true,
  });
  expect(geminiRoute("POST", "/v1beta/models/m:streamGenerateContent", "")).toBeNull();
  expect(geminiRoute("POST", "/v1beta/models/%zz:generateContent", "")).toBeNull();
  expect(geminiRoute("POST", "/v1beta/models/a/b:generateContent", "")).toBeNull();
});
