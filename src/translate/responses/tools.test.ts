import OpenAI from "openai";
import { expect, test } from "vitest";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readResponsesRequest } from "../../wire/responses/responses-request.ts";
import { pickTranslator } from "../pick-translator.ts";

type Json = Record<string, unknown>;
const ORIGIN = { requestId: "req_1", createdAtSeconds: 1 };
const SEARCH_PARAMETERS = { type: "object", properties: { query: { type: "string" } } };
const TOOLS = [
  { type: "custom", name: "apply_patch", format: { type: "grammar", syntax: "lark", definition: "start: x" } },
  { type: "namespace", name: "agents", description: "", tools: [{ type: "function", name: "wait", parameters: {} }] },
  { type: "tool_search", execution: "client", parameters: SEARCH_PARAMETERS },
];
const PATCH = '*** Begin Patch\n*** Add File: "a\\b".txt\n+héllo 😀\n*** End Patch';

const PROVIDERS = ["chat", "messages"] as const;
type Provider = (typeof PROVIDERS)[number];
const CALLS = [
  { id: "c1", name: "apply_patch", input: { input: PATCH } },
  { id: "c2", name: "agents__wait", input: { id: 7 } },
  { id: "c3", name: "tool_search", input: { query: "weather" } },
];

const translatorTo = (dialect: Provider) => pickTranslator("responses", { dialect, conformant: true });
const requestOf = (body: Json) =>
  readResponsesRequest(parseBody(Buffer.from(JSON.stringify({ model: "public", input: "hi", ...body })), 64));

function sent(provider: Provider, body: Json): Json {
  const told = { upstreamModel: "theirs", maxOutputTokens: 500 };
  return JSON.parse(translatorTo(provider).request(requestOf(body), told).toString()) as Json;
}

/** A provider's whole answer that makes these calls. */
function wholeAnswer(provider: Provider): Json {
  if (provider === "messages") {
    const content = CALLS.map((call) => ({ type: "tool_use", ...call }));
    return { type: "message", role: "assistant", content, stop_reason: "tool_use", usage: { input_tokens: 1 } };
  }
  const toolCalls = CALLS.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { choices: [{ index: 0, message: { content: null, tool_calls: toolCalls }, finish_reason: "tool_calls" }] };
}

/** The same as a stream, with the arguments in pieces of three characters. */
function streamedAnswer(provider: Provider): string[] {
  const pieces = (input: unknown) => JSON.stringify(input).match(/.{1,3}/gsu) ?? [];
  if (provider === "messages") {
    const event = (data: Json) => `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
    const blocks = CALLS.flatMap(({ id, name, input }, index) => [
      event({ type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } }),
      ...pieces(input).map((json) =>
        event({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } }),
      ),
      event({ type: "content_block_stop", index }),
    ]);
    const start = { type: "message_start", message: { usage: { input_tokens: 1 } } };
    const end = { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } };
    return [event(start), ...blocks, event(end), event({ type: "message_stop" })];
  }
  const chunk = (delta: Json, reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const calls = CALLS.flatMap(({ id, name, input }, index) => [
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ...pieces(input).map((json) => chunk({ tool_calls: [{ index, function: { arguments: json } }] })),
  ]);
  return [chunk({ role: "assistant" }), ...calls, chunk({}, "tool_calls"), "data: [DONE]\n\n"];
}

function streamedOutput(provider: Provider): { bytes: string; events: Json[] } {
  const stage = translatorTo(provider).stage(requestOf({ tools: TOOLS, stream: true }), ORIGIN);
  const verdicts = streamedAnswer(provider).map((text) => {
    const bytes = Buffer.from(text);
    return stage.event(bytes, 0, bytes.length);
  });
  const rest = [stage.close(), stage.terminal()];
  const bytes = [...verdicts, ...rest].map((part) => (Buffer.isBuffer(part) ? part.toString() : "")).join("");
  const events = [...bytes.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as Json);
  return { bytes, events };
}

const OUTPUT = [
  { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: PATCH, status: "completed" },
  { type: "function_call", call_id: "c2", name: "wait", namespace: "agents", arguments: '{"id":7}' },
  { type: "tool_search_call", call_id: "c3", execution: "client", arguments: { query: "weather" } },
];

test.each(PROVIDERS)("a %s provider's calls come back as calls of the tools that were offered", (provider) => {
  const bytes = Buffer.from(JSON.stringify(wholeAnswer(provider)));
  const answer = JSON.parse(
    translatorTo(provider)
      .plain(bytes, requestOf({ tools: TOOLS }), ORIGIN)
      .bytes.toString(),
  ) as Json;

  expect(answer["output"]).toMatchObject(OUTPUT);
});

test.each(PROVIDERS)("a %s provider's streamed calls tell their input as it comes", async (provider) => {
  const { bytes, events } = streamedOutput(provider);
  const ofType = (type: string) => events.filter((event) => event["type"] === type);
  const fetch = async () => new Response(bytes, { headers: { "content-type": "text/event-stream" } });
  const read = await new OpenAI({ apiKey: "x", fetch }).responses
    .stream({ model: "public", input: "hi" })
    .finalResponse();

  const deltas = ofType("response.custom_tool_call_input.delta");
  expect(deltas.length).toBeGreaterThan(10);
  expect(deltas.map(({ delta }) => delta).join("")).toBe(PATCH);
  expect(ofType("response.custom_tool_call_input.done")).toMatchObject([{ input: PATCH, output_index: 0 }]);
  expect(ofType("response.function_call_arguments.done")).toMatchObject([{ arguments: '{"id":7}', output_index: 1 }]);
  expect(ofType("response.output_item.done").map(({ item }) => item)).toMatchObject(OUTPUT);
  expect(read.output).toMatchObject(OUTPUT);
});

test.each(PROVIDERS)("what came back is understood by a %s provider in the next turn", (provider) => {
  const bytes = Buffer.from(JSON.stringify(wholeAnswer(provider)));
  const plain = translatorTo(provider).plain(bytes, requestOf({ tools: TOOLS }), ORIGIN);
  const { output } = JSON.parse(plain.bytes.toString()) as { output: Json[] };
  const found = [{ type: "namespace", name: "sky", tools: [{ type: "function", name: "forecast" }] }];
  const body = sent(provider, {
    tools: TOOLS,
    input: [
      { role: "user", content: "hi" },
      ...output,
      { type: "custom_tool_call_output", call_id: "c1", output: "Done." },
      { type: "function_call_output", call_id: "c2", output: "Waited." },
      { type: "tool_search_output", call_id: "c3", execution: "client", tools: found },
    ],
  });
  const text = JSON.stringify(body);
  const names =
    provider === "chat"
      ? (body["tools"] as { function: Json }[]).map((tool) => tool.function["name"])
      : (body["tools"] as Json[]).map(({ name }) => name);

  expect(names).toEqual(["apply_patch", "agents__wait", "tool_search", "sky__forecast"]);
  const turns = body["messages"] as { content: unknown; tool_calls?: { function: Json }[] }[];
  const calls =
    provider === "chat"
      ? turns[1]?.tool_calls?.map((call) => JSON.parse(String(call.function["arguments"])) as unknown)
      : (turns[1]?.content as Json[] | undefined)?.map(({ input }) => input);
  expect(calls).toEqual(CALLS.map(({ input }) => input));
  expect(text).toContain("Done.");
  expect(text).toContain(JSON.stringify(JSON.stringify({ tools: ["sky__forecast"] })).slice(1, -1));
});

test("a choice of a custom tool, or of none, reaches the provider", () => {
  const choice = (given: unknown) => sent("messages", { tools: TOOLS, tool_choice: given })["tool_choice"];

  expect(choice({ type: "custom", name: "apply_patch" })).toEqual({ type: "tool", name: "apply_patch" });
  expect(choice("none")).toEqual({ type: "none" });
});

test("tools that are not allowed are not offered", () => {
  const allowed = [
    { type: "custom", name: "apply_patch" },
    { type: "tool_search" },
    { type: "function", name: "gone" },
  ];
  const body = sent("messages", {
    tools: TOOLS,
    tool_choice: { type: "allowed_tools", mode: "required", tools: allowed },
  });

  expect((body["tools"] as Json[]).map(({ name }) => name)).toEqual(["apply_patch", "tool_search"]);
  expect(body["tool_choice"]).toEqual({ type: "any" });
});
