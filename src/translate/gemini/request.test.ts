import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { seal } from "../../../tests/support/seals.ts";

type Json = Record<string, unknown>;

const { sent } = cross("messages", "gemini", { max_tokens: 500 });
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string, name = "weather") => ({ type: "tool_use", id, name, input: { city: "x" } });
const result = (id: string, ...content: object[]) => ({ type: "tool_result", tool_use_id: id, content });
const thought = (value: Json) => ({ type: "thinking", thinking: "", signature: seal({ dialect: "gemini", value }) });
const contents = (...messages: object[]) => sent({ messages })["contents"] as { role: string; parts: Json[] }[];
const config = (body: Json, upstreamModel = "gemini-3-flash") =>
  sent(body, { upstreamModel })["generationConfig"] as Json;

test("a request says neither its model nor whether it is streamed, which stand in the path", () => {
  expect(
    sent({ system: "Be brief.", messages: [user(text("hi"))], stream: true, temperature: 0.5, top_p: 0.9 }),
  ).toEqual({
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { maxOutputTokens: 500, temperature: 0.5, topP: 0.9 },
  });
});

test("results stand right behind their calls, under their names and by themselves", () => {
  const said = contents(
    user(text("Weather?")),
    assistant(text("Let me see."), use("a"), use("b", "time")),
    user(result("b", text("noon")), { ...result("a", text("cold")), is_error: true }, text("Well?")),
  );

  expect(said.map(({ role }) => role)).toEqual(["user", "model", "user", "user"]);
  expect(said[2]?.parts).toEqual([
    { functionResponse: { id: "b", name: "time", response: { output: "noon" } } },
    { functionResponse: { id: "a", name: "weather", response: { error: "cold" } } },
  ]);
  expect(said[3]?.parts).toEqual([{ text: "Well?" }]);
});

test("pictures are told by their bytes, and those in a result are shown after it", () => {
  const source = { type: "base64", media_type: "image/png", data: "aGk=" };
  const said = contents(
    user({ type: "image", source }),
    assistant(use("a")),
    user(result("a", text("see"), { type: "image", source })),
  );
  const inlineData = { mimeType: "image/png", data: "aGk=" };

  expect(said[0]?.parts).toEqual([{ inlineData }]);
  expect(said[3]?.parts).toEqual([{ inlineData }]);
});

test("a signature goes back with the part it came with", () => {
  const [, called, , , spoken] = contents(
    user(text("hi")),
    assistant(thought({ signature: "S1", part: "call" }), use("a"), use("b")),
    user(result("a"), result("b")),
    user(text("go on")),
    assistant(thought({ signature: "S2", part: "text" }), text("Done.")),
  );

  expect(called?.parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual(["S1", undefined]);
  expect(spoken?.parts).toEqual([{ text: "Done.", thoughtSignature: "S2" }]);
});

test("a call whose signature was lost says so in Google's own word, to models that insist on one", () => {
  const messages = [user(text("hi")), assistant(use("a"), use("b")), user(result("a"), result("b"))];
  const signatures = (upstreamModel: string) =>
    (sent({ messages }, { upstreamModel })["contents"] as { parts: Json[] }[])[1]?.parts.map(
      ({ thoughtSignature }) => thoughtSignature,
    );

  expect(signatures("gemini-3-flash")).toEqual(["skip_thought_signature_validator", undefined]);
  expect(signatures("gemini-2.5-pro")).toEqual([undefined, undefined]);
});

test("thoughts of another format, and seals that say something else, are left out", () => {
  const foreign = {
    type: "thinking",
    thinking: "",
    signature: seal({ dialect: "responses", value: { signature: "x" } }),
  };
  const said = contents(user(text("hi")), assistant(foreign, thought({ signature: 7, part: "call" }), text("ok")));

  expect(said[1]?.parts).toEqual([{ text: "ok" }]);
});

test.each([
  ["gemini-3-flash", "minimal", { thinkingLevel: "MINIMAL" }],
  ["gemini-3-pro-preview", "none", { thinkingLevel: "LOW" }],
  ["gemini-3-pro-preview", "medium", { thinkingLevel: "HIGH" }],
  ["gemini-3.1-pro-preview", "medium", { thinkingLevel: "MEDIUM" }],
  ["gemini-4-argon", "max", { thinkingLevel: "HIGH" }],
  ["gemini-2.5-flash", "none", { thinkingBudget: 0 }],
  ["gemini-2.5-pro", "none", { thinkingBudget: 512 }],
  ["gemini-2.5-flash", "high", { thinkingBudget: 512 }],
])("%s is asked for an effort of %s in the way it takes", (upstreamModel, effort, thinkingConfig) => {
  const told = cross("chat", "gemini").sent({ reasoning_effort: effort }, { upstreamModel });

  expect(told["generationConfig"]).toMatchObject({ thinkingConfig });
});

test("a budget of thoughts leaves room for the answer", () => {
  const told = cross("chat", "gemini").sent(
    { reasoning_effort: "high" },
    { upstreamModel: "gemini-2.5-flash", maxOutputTokens: 10_000 },
  );

  expect(told["generationConfig"]).toMatchObject({ thinkingConfig: { thinkingBudget: 8_000 } });
});

test("thoughts are asked for by who wants to read them", () => {
  expect(config({ thinking: { type: "adaptive" } })["thinkingConfig"]).toEqual({ includeThoughts: true });
  expect(config({ thinking: { type: "adaptive", display: "omitted" } })["thinkingConfig"]).toEqual({});
  expect(config({})["thinkingConfig"]).toBeUndefined();
});

test.each([
  [{ type: "auto" }, { mode: "AUTO" }],
  [{ type: "none" }, { mode: "NONE" }],
  [{ type: "any" }, { mode: "ANY" }],
  [
    { type: "tool", name: "weather" },
    { mode: "ANY", allowedFunctionNames: ["weather"] },
  ],
])("the choice %j of a tool is told as %j", (choice, functionCallingConfig) => {
  const tools = [{ name: "weather", description: "Weather.", input_schema: { type: "object" } }];
  const told = sent({ messages: [user(text("hi"))], tools, tool_choice: choice });

  expect(told["toolConfig"]).toEqual({ functionCallingConfig });
  expect(told["tools"]).toEqual([
    {
      functionDeclarations: [
        { name: "weather", description: "Weather.", parametersJsonSchema: { type: "object", properties: {} } },
      ],
    },
  ]);
});

test("a schema holds the answer, except beside tools where a model takes only one of the two", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const format = { output_config: { format: { type: "json_schema", schema } } };
  const tools = [{ name: "weather", input_schema: { type: "object" } }];

  expect(config(format)).toMatchObject({ responseMimeType: "application/json", responseJsonSchema: schema });
  expect(config({ ...format, tools })).toHaveProperty("responseJsonSchema");
  expect(config({ ...format, tools }, "gemini-2.5-flash")).not.toHaveProperty("responseMimeType");
});

test("the first five sequences to stop at are told", () => {
  expect(config({ stop_sequences: ["1", "", "2", "3", "4", "5", "6"] })["stopSequences"]).toEqual([
    "1",
    "2",
    "3",
    "4",
    "5",
  ]);
});

test.each([
  [
    "messages",
    {
      messages: [user(text("hi"))],
      max_tokens: 9,
      tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }],
    },
  ],
  ["responses", { input: "hi", tools: [{ type: "web_search" }] }],
  ["chat", { messages: [{ role: "user", content: "hi" }], web_search_options: {} }],
] as const)("a search of %s is Google's own", (client, body) => {
  expect(cross(client, "gemini").sent(body)["tools"]).toEqual([{ googleSearch: {} }]);
});
