import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { ClientDialect } from "../core/request/dialect.ts";
import type { ModelMedia } from "../core/request/model-input.ts";
import { readModelInput } from "./model-input.ts";

const photograph = randomBytes(3_000).toString("base64");
const dataUrl = `data:image/png;base64,${photograph}`;
const read = (dialect: ClientDialect, body: object) =>
  readModelInput({ dialect, bytes: Buffer.from(JSON.stringify({ model: "m", ...body })) });
const inChat = (content: unknown) => read("chat", { messages: [{ role: "user", content }] });
const inResponses = (content: unknown) => read("responses", { input: [{ role: "user", content }] });
const inMessages = (content: unknown) => read("messages", { messages: [{ role: "user", content }] });
const image: ModelMedia = { kind: "image", detail: "high", carriedCharacters: 0 };
const document: ModelMedia = { kind: "document", detail: "high", carriedCharacters: 0 };
const inToolResult = (part: object) => [{ type: "tool_result", tool_use_id: "t", content: [part] }];
const REMOTE = "https://a.example/x";

test.each<[string, ReturnType<typeof read>, ModelMedia]>([
  ["chat image", inChat([{ type: "image_url", image_url: { url: REMOTE } }]), image],
  [
    "small chat image",
    inChat([{ type: "image_url", image_url: { url: REMOTE, detail: "low" } }]),
    { ...image, detail: "low" },
  ],
  ["responses image", inResponses([{ type: "input_image", image_url: REMOTE, detail: "auto" }]), image],
  [
    "small responses image",
    inResponses([{ type: "input_image", image_url: REMOTE, detail: "low" }]),
    { ...image, detail: "low" },
  ],
  ["responses file", inResponses([{ type: "input_file", file_url: REMOTE }]), document],
  [
    "responses tool output",
    read("responses", {
      input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_file", file_url: REMOTE }] }],
    }),
    document,
  ],
  [
    "responses screenshot",
    read("responses", {
      input: [
        { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url: REMOTE } },
      ],
    }),
    image,
  ],
  ["messages image", inMessages([{ type: "image", source: { type: "url", url: REMOTE } }]), image],
  ["messages document", inMessages([{ type: "document", source: { type: "url", url: REMOTE } }]), document],
  [
    "messages tool result",
    inMessages(inToolResult({ type: "document", source: { type: "url", url: REMOTE } })),
    document,
  ],
  [
    "messages document of images",
    inMessages([
      {
        type: "document",
        source: { type: "content", content: [{ type: "image", source: { type: "url", url: REMOTE } }] },
      },
    ]),
    image,
  ],
])("a remote part is media: %s", (_part, { media }, expected) => {
  expect(media).toEqual([expected]);
});

test.each<[string, ReturnType<typeof read>, ModelMedia]>([
  [
    "chat image",
    inChat([{ type: "image_url", image_url: { url: dataUrl } }]),
    { ...image, carriedCharacters: dataUrl.length },
  ],
  [
    "chat file",
    inChat([{ type: "file", file: { file_data: dataUrl } }]),
    { ...document, carriedCharacters: dataUrl.length },
  ],
  [
    "responses image",
    inResponses([{ type: "input_image", image_url: dataUrl }]),
    { ...image, carriedCharacters: dataUrl.length },
  ],
  [
    "responses file",
    inResponses([{ type: "input_file", file_data: dataUrl }]),
    { ...document, carriedCharacters: dataUrl.length },
  ],
  [
    "messages image",
    inMessages([{ source: { data: photograph, type: "base64", media_type: "image/png" }, type: "image" }]),
    { ...image, carriedCharacters: photograph.length },
  ],
  [
    "messages tool result",
    inMessages(inToolResult({ type: "image", source: { type: "base64", data: photograph } })),
    { ...image, carriedCharacters: photograph.length },
  ],
])("carried base64 is media where a format carries it: %s", (_part, { media, texts, json }, expected) => {
  expect(media).toEqual([expected]);
  expect([...texts, ...json].join("")).not.toContain(photograph);
});

test.each<[string, ReturnType<typeof read>]>([
  ["a prompt", inChat(dataUrl)],
  ["a text part", inChat([{ type: "text", text: dataUrl }])],
  ["a text document", inMessages([{ type: "document", source: { type: "text", data: photograph } }])],
  [
    "what a tool was called with",
    inMessages([
      { type: "tool_use", id: "t", name: "f", input: { data: photograph, source: { type: "base64", data: "x" } } },
    ]),
  ],
  [
    "a media block within what a tool was called with",
    inMessages([
      {
        type: "tool_use",
        id: "t",
        name: "f",
        input: { type: "image", source: { type: "base64", data: photograph } },
      },
    ]),
  ],
  [
    "quoted arguments",
    read("chat", {
      messages: [
        {
          role: "assistant",
          tool_calls: [
            { id: "c", type: "function", function: { name: "f", arguments: JSON.stringify({ url: dataUrl }) } },
          ],
        },
      ],
    }),
  ],
  [
    "a tool's schema",
    read("messages", {
      messages: [],
      tools: [{ name: "f", input_schema: { type: "object", properties: { a: { default: { data: photograph } } } } }],
    }),
  ],
])("the same letters are text in %s", (_where, { media, texts, json }) => {
  expect(media).toEqual([]);
  expect([...texts, ...json].join("")).toContain(photograph);
});

test.each<[string, ReturnType<typeof read>]>([
  ["without a type", inChat([{ image_url: { url: REMOTE } }])],
  ["of another type", inChat([{ type: "text", text: "hi", image_url: { url: REMOTE } }])],
  ["with a source of no type", inMessages([{ type: "image", source: { url: REMOTE } }])],
])("a picture in a part %s is held for too, since some servers show it", (_part, { media }) => {
  expect(media).toEqual([image]);
});

test("a picture in a part of another type is also held for by its bytes", () => {
  const { media, texts } = inChat([{ type: "text", text: "hi", image_url: { url: dataUrl } }]);

  expect(media).toEqual([image]);
  expect(texts).toEqual(["hi"]);
});

test("the model reads instructions, messages, calls, results, tools and schemas, and not what organises them", () => {
  const { texts, json, messages, tools } = read("chat", {
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "2" },
    ],
    tools: [{ type: "function", function: { name: "add", description: "Adds.", parameters: { type: "object" } } }],
    response_format: { type: "json_object" },
    user: "somebody",
    stop: ["END"],
    metadata: { data: "unseen" },
  });

  expect(texts).toEqual(["Be brief.", "add", "2"]);
  expect(json).toEqual([
    '{"a":1}',
    '{"type":"json_object"}',
    '{"name":"add","description":"Adds.","parameters":{"type":"object"}}',
  ]);
  expect({ messages, tools }).toEqual({ messages: 3, tools: 1 });
});

test("a prediction is kept apart, since what the answer does not use is charged as output", () => {
  const { predicted, texts } = read("chat", {
    messages: [{ role: "user", content: "Rename it." }],
    prediction: { type: "content", content: [{ type: "text", text: "const a = 1;" }] },
  });

  expect(predicted).toEqual(["const a = 1;"]);
  expect(texts).toEqual(["Rename it."]);
});

test("tools that a provider describes itself are counted, and reasoning only it can read by its length", () => {
  const { tools, nativeTools } = read("messages", {
    messages: [],
    tools: [{ type: "bash_20250124", name: "bash" }, { name: "own" }],
  });
  const { sealedCharacters, texts } = read("responses", {
    input: [{ type: "reasoning", id: "r", summary: [], encrypted_content: "x".repeat(600) }],
  });

  expect({ tools, nativeTools }).toEqual({ tools: 2, nativeTools: 1 });
  expect({ sealedCharacters, texts }).toEqual({ sealedCharacters: 600, texts: [] });
});
