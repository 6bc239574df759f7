import { describe, expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { seal } from "../../../tests/support/seals.ts";
import { Fault } from "../../core/fault.ts";
import { lossesOf } from "../fidelity/losses.ts";
import { inspectMembers } from "../../wire/members/inspect-members.ts";
import { CONVERSE_MEMBERS } from "../../wire/converse/members.ts";

type Json = Record<string, unknown>;
type Message = { role: string; content: Json[] };

const CLAUDE = "us.anthropic.claude-sonnet-4-6";
const BUDGETED = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const NOVA = "us.amazon.nova-2-lite-v1:0";
const GPT = "openai.gpt-oss-120b-1:0";
const LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0";
const MISTRAL = "mistral.mistral-large-2407-v1:0";

const sent = (body: Json, upstreamModel = CLAUDE, more: Json = {}): Json =>
  cross("messages", "converse").sent(body, { upstreamModel, ...more });
const asked = (body: Json, upstreamModel = CLAUDE): Json => cross("chat", "converse").sent(body, { upstreamModel });
const told = (...messages: Json[]): Message[] => sent({ messages })["messages"] as Message[];
const firstOf = (message: Message | undefined): Json => message?.content[0] ?? {};
const user = (...content: Json[]) => ({ role: "user", content });
const assistant = (...content: Json[]) => ({ role: "assistant", content });
const text = (words: string, more: Json = {}) => ({ type: "text", text: words, ...more });
const use = (id: string, name = "weather") => ({ type: "tool_use", id, name, input: {} });
const result = (id: string, content: unknown = "ok", more: Json = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const thought = (value: Json, thinking = "Hm.") => ({
  type: "thinking",
  thinking,
  signature: seal({ dialect: "converse", value }),
});
const tool = (name: string, more: Json = {}) => ({ name, input_schema: { type: "object" }, ...more });
const cached = (more: Json = {}) => ({ cache_control: { type: "ephemeral", ...more } });

describe("a conversation in which speakers take turns", () => {
  test("begins with the user, whatever the caller begins with", () => {
    expect(told(assistant(text("a")), user(text("b")))).toEqual([
      { role: "user", content: [{ text: "." }] },
      { role: "assistant", content: [{ text: "a" }] },
      { role: "user", content: [{ text: "b" }] },
    ]);
  });

  test("has instructions amid it said by the user", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "system", content: "b" },
      { role: "user", content: "c" },
    ];

    expect(asked({ messages })["messages"]).toEqual([
      { role: "user", content: [{ text: "a" }, { text: "b" }, { text: "c" }] },
    ]);
  });

  test("has all results in front, in the order of their calls", () => {
    const [, , after] = told(
      user(text("hi")),
      assistant(use("a"), use("b")),
      user(result("b", "B"), text("so?"), result("a", "A")),
    );

    expect(after?.content).toEqual([
      { toolResult: { toolUseId: "a", content: [{ text: "A" }] } },
      { toolResult: { toolUseId: "b", content: [{ text: "B" }] } },
      { text: "so?" },
    ]);
  });

  test("has no text without words, and no result without content", () => {
    const messages = told(user(text("hi")), assistant(text(" "), use("a")), user(result("a", [text("\n")]), text(" ")));

    expect(messages.slice(1)).toEqual([
      { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "weather", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "a", content: [{ text: "(no output)" }] } }] },
    ]);
  });

  test("has ids of calls that its model takes", () => {
    const idIn = (upstreamModel: string): unknown => {
      const messages = [user(text("hi")), assistant(use("call.1:x")), user(result("call.1:x"))];
      const [, call, after] = sent({ messages }, upstreamModel)["messages"] as Message[];
      const { toolUseId } = firstOf(call)["toolUse"] as Json;
      expect((firstOf(after)["toolResult"] as Json)["toolUseId"]).toBe(toolUseId);
      return toolUseId;
    };

    expect(idIn(CLAUDE)).toBe("call_1_x");
    expect(idIn(MISTRAL)).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  test("says that a call has failed to models that can be told", () => {
    const status = (model: string) => {
      const messages = [user(text("hi")), assistant(use("a")), user(result("a", "no", { is_error: true }))];
      const [, , after] = sent({ messages }, model)["messages"] as Message[];
      return (firstOf(after)["toolResult"] as Json)["status"];
    };

    expect([status(CLAUDE), status(NOVA), status(LLAMA)]).toEqual(["error", "error", undefined]);
  });
});

describe("thoughts that go back", () => {
  test("stand in front of what was said, with their signature, without another's", () => {
    const foreign = {
      type: "thinking",
      thinking: "x",
      signature: seal({ dialect: "messages", value: { signature: "x" } }),
    };
    const unsigned = { type: "thinking", thinking: "x", signature: "theirs" };
    const [, said] = told(
      user(text("hi")),
      assistant(foreign, unsigned, text("a"), thought({ signature: "S" }), use("b")),
      user(result("b")),
    );

    expect(said?.content).toEqual([
      { reasoningContent: { reasoningText: { text: "Hm.", signature: "S" } } },
      { text: "a" },
      { toolUse: { toolUseId: "b", name: "weather", input: {} } },
    ]);
  });

  test("have a text, if an empty one, and those that cannot be read go back as they came", () => {
    const redacted = {
      type: "redacted_thinking",
      data: seal({ dialect: "converse", value: { redacted: "c2VjcmV0" } }),
    };
    const [, said] = told(
      user(text("hi")),
      assistant(thought({ signature: "S" }, ""), redacted, text("a")),
      user(text("b")),
    );

    expect(said?.content.slice(0, 2)).toEqual([
      { reasoningContent: { reasoningText: { text: "", signature: "S" } } },
      { reasoningContent: { redactedContent: "c2VjcmV0" } },
    ]);
  });

  test("do not end a turn, and one of nothing else is left out and declared", () => {
    const messages = [user(text("a")), assistant(thought({ signature: "S" })), user(text("b"))];

    expect(told(...messages)).toEqual([{ role: "user", content: [{ text: "a" }, { text: "b" }] }]);
    expect(
      lossesOf(
        "messages",
        "converse",
        { messages },
        { reasoning: true, open: () => ({ dialect: "converse", value: {} }) },
      ).dropped,
    ).toMatchObject([{ path: "messages" }]);
  });
});

describe("tools", () => {
  const history = [user(text("hi")), assistant(use("a")), user(result("a"))];
  const names = ({ toolConfig }: Json): unknown =>
    toolConfig && ((toolConfig as Json)["tools"] as Json[]).map(({ toolSpec }) => (toolSpec as Json)["name"]);

  test("are told with a schema of an object, and with words only if there are some", () => {
    expect(
      sent({ tools: [tool("a", { description: " " }), tool("b", { description: "Does b." })] })["toolConfig"],
    ).toEqual({
      tools: [
        { toolSpec: { name: "a", inputSchema: { json: { type: "object", properties: {} } } } },
        { toolSpec: { name: "b", description: "Does b.", inputSchema: { json: { type: "object", properties: {} } } } },
      ],
    });
  });

  test("are never an empty list: where calls of before stand, one is told that does nothing", () => {
    expect(names(sent({ messages: history }))).toEqual(["none"]);
    expect(names(sent({ messages: history, tools: [tool("a")], tool_choice: { type: "none" } }))).toEqual(["none"]);
    expect(names(sent({ tools: [tool("a")], tool_choice: { type: "none" } }))).toBeUndefined();
    expect(names(sent({ tools: [] }))).toBeUndefined();
  });

  test.each([
    [CLAUDE, { type: "any" }, { any: {} }],
    [CLAUDE, { type: "auto" }, { auto: {} }],
    [NOVA, { type: "tool", name: "a" }, { tool: { name: "a" } }],
    [MISTRAL, { type: "tool", name: "a" }, { any: {} }],
    [LLAMA, { type: "any" }, undefined],
    [GPT, { type: "tool", name: "a" }, undefined],
  ])("%s is told the choice %j as %j", (model, choice, toolChoice) => {
    const { toolConfig } = sent({ tools: [tool("a")], tool_choice: choice }, model);

    expect((toolConfig as Json)["toolChoice"]).toEqual(toolChoice);
    const { dropped } = lossesOf("messages", "converse", { tool_choice: choice }, { reasoning: true, models: [model] });
    const isWhole = (JSON.stringify(toolChoice) ?? "").includes(choice.type);
    expect(dropped.map(({ path }) => path)).toEqual(isWhole ? [] : ["tool_choice"]);
  });
});

describe("what is to be cached", () => {
  const points = (value: unknown): number => JSON.stringify(value).split('"cachePoint"').length - 1;

  test("is followed by a point, for as long as it is asked for", () => {
    const body = sent({
      system: [text("s", cached({ ttl: "1h" }))],
      tools: [tool("a", cached())],
      messages: [user(text("hi", cached({ ttl: "5m" })))],
    });

    expect(body["system"]).toEqual([{ text: "s" }, { cachePoint: { type: "default", ttl: "1h" } }]);
    expect(((body["toolConfig"] as Json)["tools"] as Json[])[1]).toEqual({ cachePoint: { type: "default" } });
    expect((body["messages"] as Message[])[0]?.content[1]).toEqual({ cachePoint: { type: "default", ttl: "5m" } });
  });

  test("keeps its point where results are moved, and has it behind a result", () => {
    const [, , after] = told(
      user(text("hi")),
      assistant(use("a"), use("b")),
      user(result("b", [text("B", cached())]), result("a", "A", cached())),
    );

    expect(after?.content.map((part) => Object.keys(part)[0])).toEqual([
      "toolResult",
      "cachePoint",
      "toolResult",
      "cachePoint",
    ]);
  });

  test("has four points at most, the last", () => {
    const messages = [user(...Array.from({ length: 6 }, (_, n) => text(`t${n}`, cached())))];
    const body = sent({ messages, system: [text("s", cached())], tools: [tool("a", cached())] });

    expect(points(body)).toBe(4);
    expect(points(body["messages"])).toBe(4);
  });

  test("is no matter where a model has no cache", () => {
    const body = {
      system: [text("s", cached())],
      tools: [tool("a", cached())],
      messages: [user(text("hi", cached({ ttl: "1h" })))],
    };
    const lost = (model: string): string[] =>
      lossesOf("messages", "converse", body, { reasoning: true, models: [model] }).dropped.map(({ path }) => path);

    expect(points(sent(body, LLAMA))).toBe(0);
    expect(points(sent(body, NOVA))).toBe(2);
    expect(JSON.stringify(sent(body, NOVA))).not.toContain("ttl");
    expect(lost(CLAUDE)).toEqual([]);
    expect(lost(LLAMA)).toEqual(
      ["system.*.cache_control", "messages.*.content.*.cache_control", "tools.*.cache_control"].toSorted(
        (a, b) => lost(LLAMA).indexOf(a) - lost(LLAMA).indexOf(b),
      ),
    );
    expect(lost(NOVA)).toEqual(expect.arrayContaining(["tools.*.cache_control", "messages.*.content.*.cache_control"]));
  });
});

describe("thinking", () => {
  const fields = (body: Json, model: string, maxOutputTokens: number | null = 5_000): unknown =>
    sent(body, model, { maxOutputTokens })["additionalModelRequestFields"];
  const enabled = { thinking: { type: "enabled", budget_tokens: 16_384 } };

  test("is asked for in the words of each maker", () => {
    expect(fields(enabled, CLAUDE)).toEqual({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "high" },
    });
    expect(fields(enabled, GPT)).toEqual({ reasoning_effort: "high" });
    expect(fields(enabled, NOVA)).toEqual({ reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } });
    expect(fields(enabled, LLAMA)).toBeUndefined();
  });

  test.each([5_000, 100_000, null])("has a budget within a limit of %s, which it does not raise", (limit) => {
    const told = { upstreamModel: BUDGETED, maxOutputTokens: limit };
    const body = cross("chat", "converse").sent({ reasoning_effort: "max" }, told);
    const { thinking } = body["additionalModelRequestFields"] as { thinking: Json };
    const { maxTokens } = (body["inferenceConfig"] ?? {}) as { maxTokens?: number };

    expect(maxTokens).toBe(limit ?? undefined);
    expect(Number(thinking["budget_tokens"])).toBeLessThan(limit ?? 32_000);
    expect(thinking).not.toHaveProperty("display");
  });

  test("goes without sampling on Claude, and a choice that forces a call without thinking", () => {
    const body = { ...enabled, temperature: 0.5, top_p: 0.9 };

    expect(sent(body)["inferenceConfig"]).toEqual({ maxTokens: 500 });
    expect(sent({ temperature: 0.5, top_p: 0.9 })["inferenceConfig"]).toEqual({ maxTokens: 500, temperature: 0.5 });
    expect(sent({ temperature: 0.5, top_p: 0.9 }, LLAMA)["inferenceConfig"]).toEqual({
      maxTokens: 500,
      temperature: 0.5,
      topP: 0.9,
    });
    expect(fields({ ...enabled, tools: [tool("a")], tool_choice: { type: "any" } }, CLAUDE)).toEqual({
      output_config: { effort: "high" },
    });
  });
});

describe("media", () => {
  const document = (media_type: string, more: Json = {}) => ({
    type: "document",
    source: { type: "base64", media_type, data: "aGk=" },
    ...more,
  });
  const image = (media_type: string) => ({ type: "image", source: { type: "base64", media_type, data: "aGk=" } });

  test("are named as Amazon names them, a document beside a text, and no two alike", () => {
    const [said] = told(
      user(
        document("application/pdf", { title: "a_b" }),
        document("text/csv", { title: "My file" }),
        document("application/pdf", { title: "My file" }),
        image("image/jpg"),
      ),
    );

    expect(said?.content).toEqual([
      { text: "a_b" },
      { document: { format: "pdf", name: "a b", source: { bytes: "aGk=" } } },
      { document: { format: "csv", name: "My file", source: { bytes: "aGk=" } } },
      { text: "My file" },
      { document: { format: "pdf", name: "My file 2", source: { bytes: "aGk=" } } },
      { image: { format: "jpeg", source: { bytes: "aGk=" } } },
    ]);
    expect(told(user(document("application/pdf")))[0]?.content[0]).toEqual({ text: "." });
  });

  test.each([
    image("image/heic"),
    document("application/rtf"),
    { type: "image", source: { type: "url", url: "https://x.example/a.png" } },
  ])("that Amazon does not take are refused: %j", (block) => {
    const body = { messages: [user(text("hi"), block)] };

    expect(lossesOf("messages", "converse", body).refused?.path).toBe("messages.*.content.*");
    if (block.source.type === "base64") expect(() => sent(body)).toThrow(Fault);
  });
});

test("a schema is told as a text, where a model takes one", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  const body = {
    response_format: { type: "json_schema", json_schema: { name: "answer", description: "An a.", schema } },
  };
  const { textFormat } = asked(body)["outputConfig"] as { textFormat: { structure: { jsonSchema: Json } } };

  expect(textFormat).toMatchObject({
    type: "json_schema",
    structure: { jsonSchema: { name: "answer", description: "An a." } },
  });
  expect(JSON.parse(String(textFormat.structure.jsonSchema["schema"]))).toEqual(schema);
  expect(asked(body, LLAMA)["outputConfig"]).toBeUndefined();
});

test("sequences to stop at have words, and which was met is asked for", () => {
  const body = sent({ stop_sequences: ["END", " "] });

  expect(body).toMatchObject({
    inferenceConfig: { stopSequences: ["END"] },
    additionalModelResponseFieldPaths: ["/stop_sequence", "/delta/stop_sequence"],
  });
  expect(sent({})).not.toHaveProperty("additionalModelResponseFieldPaths");
});

test.each<[string, Json]>([
  ["serviceTier", { serviceTier: { type: "priority" } }],
  ["service_tier", { service_tier: "flex" }],
  ["performanceConfig", { performanceConfig: { latency: "optimized" } }],
  ["guardrailConfig", { guardrailConfig: { guardrailIdentifier: "g" } }],
  ["promptVariables", { promptVariables: { a: { text: "b" } } }],
  ["toolConfig.tools.0.systemTool", { toolConfig: { tools: [{ systemTool: { name: "nova_grounding" } }] } }],
  [
    "messages.0.content.0.image.source.s3Location",
    { messages: [user({ image: { format: "png", source: { s3Location: { uri: "s3://b/k" } } } })] },
  ],
  ["messages.0.content.0.video", { messages: [user({ video: { format: "mp4", source: {} } })] }],
  ["messages.0.content.0.guardContent", { messages: [user({ guardContent: { text: { text: "a" } } })] }],
  ["additionalModelRequestFields.anthropic_beta", { additionalModelRequestFields: { anthropic_beta: ["x"] } }],
  [
    "additionalModelRequestFields.speed",
    { additionalModelRequestFields: { thinking: { type: "adaptive" }, speed: "fast" } },
  ],
])("no request has %s: it costs what nobody has priced, or keeps what nobody may", (at, body) => {
  const { fault } = inspectMembers(
    CONVERSE_MEMBERS,
    { messages: [user({ text: "hi" })], ...body },
    { mediaUrls: "https", refused: "fault" },
  );

  expect(fault).toMatchObject({ code: "invalid_request", param: at });
});
