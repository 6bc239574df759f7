import { describe, expect, test } from "vitest";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { inspectMembers } from "./inspect-members.ts";
import { MEMBERS } from "./member-tables.ts";

const inspect = (dialect: ClientDialect, body: Record<string, unknown>, refused: "fault" | "taken out" = "fault") =>
  inspectMembers(MEMBERS[dialect], body, { mediaUrls: "https", refused });

function refuse(dialect: ClientDialect, body: Record<string, unknown>): void {
  const { fault } = inspect(dialect, body);
  if (fault !== null) throw fault;
}

type Case = [param: string, body: Record<string, unknown>];

const say = (content: object[]): object => ({
  messages: [
    { role: "user", content: "x" },
    { role: "user", content },
  ],
});

/** As agents say which tools they have: in the conversation, in namespaces. */
const inNamespace = (tool: object): object => ({
  type: "additional_tools",
  tools: [{ type: "namespace", name: "functions", tools: [tool] }],
});

const REFUSED: Record<"chat" | "responses" | "messages", Case[]> = {
  chat: [
    ["messages.0.audio.id", { messages: [{ role: "assistant", audio: { id: "a" } }] }],
    ["messages.1.content.0.file.file_id", { ...say([{ type: "file", file: { file_id: "f" } }]) }],
    ["messages.1.content.0.type", { ...say([{ type: "input_audio" }]) }],
    ["modalities", { modalities: ["text", "audio"] }],
    ["service_tier", { service_tier: 1 }],
    ["web_search_options", { web_search_options: true }],
    ["provider", { provider: { data_collection: "deny" } }],
    ["tools.1.type", { tools: [{ type: "function" }, { type: "web_search" }] }],
  ],
  responses: [
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: { id: "conv_1" } }],
    ["background", { background: true }],
    ["prompt.id", { prompt: { id: "pmpt_1" } }],
    ["input.1.type", { input: [{ type: "message" }, { type: "item_reference", id: "msg_1" }] }],
    ["input.0.type", { input: [{ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true }] }],
    ["input.0.content.1.file_id", { input: [{ content: [{}, { type: "input_file", file_id: "f" }] }] }],
    ["input.0.output.0.file_id", { input: [{ output: [{ type: "input_image", file_id: "f" }] }] }],
    ["tools.0.vector_store_ids", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
    ["tools.0.container", { tools: [{ type: "code_interpreter", container: "cntr_1" }] }],
    ["tools.0.environment.type", { tools: [{ type: "shell", environment: { type: "container_auto" } }] }],
    ["tools.0.server_url", { tools: [{ type: "mcp", server_url: "https://example.com" }] }],
    ["tools.0.connector_id", { tools: [{ type: "mcp", connector_id: "connector_gmail" }] }],
    ["tools.0.type", { tools: [{ type: "web_searching" }] }],
    ["tools.0.tools.0.type", { tools: [{ type: "namespace", tools: [{ type: "web_search" }] }] }],
    ["tools.0.tools.1.type", { tools: [{ type: "namespace", tools: [{ type: "function" }, { type: "mcp" }] }] }],
    ["input.0.tools.0.type", { input: [{ type: "additional_tools", tools: [{ type: "web_search" }] }] }],
    ["input.0.tools.0.tools.0.type", { input: [inNamespace({ type: "web_search" })] }],
    ["input.0.tools.0.tools.0.type", { input: [inNamespace({ type: "namespace", tools: [{ type: "mcp" }] })] }],
    [
      "input.0.tools.0.tools.0.environment.type",
      { input: [inNamespace({ type: "shell", environment: { type: "container_auto" } })] },
    ],
    ["service_tier", { service_tier: "a tier" }],
  ],
  messages: [
    ["container", { container: { skills: [{ skill_id: "pptx" }] } }],
    ["mcp_servers", { mcp_servers: [{ name: "x" }] }],
    ["messages.1.content.0.source.file_id", { ...say([{ type: "document", source: { type: "file", file_id: "f" } }]) }],
    ["messages.1.content.0.file_id", { ...say([{ type: "container_upload", file_id: "f" }]) }],
    [
      "messages.1.content.0.content.0.source.file_id",
      { ...say([{ type: "tool_result", content: [{ type: "image", source: { type: "file", file_id: "f" } }] }]) },
    ],
    ["tools.1.type", { tools: [{ name: "f" }, { type: "web_search_2026", name: "web_search" }] }],
    [
      "messages.1.content.0.tool.definition.type",
      { ...say([{ type: "tool_addition", tool: { definition: { type: "web_search_20260318" } } }]) },
    ],
    ["tools.0.type", { tools: [{ type: "code_execution_20250825" }] }],
    ["tools.0.mcp_server_name", { tools: [{ type: "mcp_toolset", mcp_server_name: "x" }] }],
    ["service_tier", { service_tier: "priority" }],
    ["speed", { speed: "ludicrous" }],
    ["inference_geo", { inference_geo: "us" }],
    ["fallback_credit_token", { fallback_credit_token: "t" }],
  ],
};

const ALLOWED: Record<"chat" | "responses" | "messages", Record<string, unknown>[]> = {
  chat: [
    { service_tier: "flex", web_search_options: { search_context_size: "low" } },
    { service_tier: "flex", web_search_options: null, modalities: ["text"], tools: [{ type: "function" }, {}] },
    { messages: [{ role: "user", content: [{ type: "text", text: "file_id" }] }] },
  ],
  responses: [
    { previous_response_id: null, background: false, service_tier: "default", prompt: {}, input: "file_id" },
    { tools: [{ type: "function" }, { type: "namespace", tools: [{ type: "custom" }] }, { type: "local_shell" }] },
    { tools: [{ type: "web_search" }, { type: "web_search_2025_08_26" }, { type: "web_search_preview_2025_03_11" }] },
    { input: [{ type: "function_call", arguments: '{"file_id":"mine"}' }] },
    {
      input: [
        inNamespace({ type: "function", name: "f" }),
        inNamespace({ type: "shell", environment: { type: "local" } }),
      ],
    },
  ],
  messages: [
    { service_tier: "standard_only", speed: "fast", container: null, mcp_servers: [] },
    { tools: [{ name: "f" }, { type: "custom" }, { type: "bash_20250124" }, { type: "text_editor_20250728" }] },
    {
      tools: [
        { type: "web_search_20260318", name: "web_search" },
        { type: "web_fetch_20250910", name: "web_fetch" },
      ],
    },
    // What the caller's own tool was called with is its own affair.
    { ...say([{ type: "tool_use", input: { file_id: "mine", source: { file_id: "mine" } } }]) },
  ],
};

describe.each(["chat", "responses", "messages"] as const)("in %s", (dialect) => {
  test.each(REFUSED[dialect])("%s is refused by its path [BOD-27]", (param, body) => {
    expect(() => refuse(dialect, body)).toThrow(
      expect.objectContaining({ code: "invalid_request", param, message: expect.stringContaining(param) as string }),
    );
  });

  test("what neither keeps state nor changes a price is carried", () => {
    for (const body of ALLOWED[dialect]) expect(() => refuse(dialect, body)).not.toThrow();
  });
});

test("a refused value is named, unless it is long or not a word", () => {
  const offer = (type: string) => () => refuse("responses", { tools: [{ type: "function" }, { type }] });

  expect(offer("file_search")).toThrow(
    "tools.1.type: Tool type 'file_search' isn't supported: tools that the provider runs have no published price here.",
  );
  expect(offer("a b")).toThrow("tools.1.type: This tool type isn't supported");
  expect(offer("x".repeat(65))).toThrow("tools.1.type: This tool type isn't supported");
});

describe("members that are null or an empty list", () => {
  test("are taken out where they may be absent, however deep [BOD-36]", () => {
    const body = {
      messages: [{ role: "assistant", content: null, refusal: null, tool_calls: [], name: "x" }],
      stop: [],
      user: null,
      tools: [{ type: "function", function: { name: "f", strict: null, parameters: { required: [], x: null } } }],
    };

    expect(inspect("chat", body)).toMatchObject({ fault: null, changed: true, unknown: [] });
    expect(body).toEqual({
      messages: [{ role: "assistant", content: null, name: "x" }],
      tools: [{ type: "function", function: { name: "f", parameters: { required: [], x: null } } }],
    });
  });

  test("stay where they are required, and where the caller may put what it likes", () => {
    const body = {
      model: null,
      messages: [],
      metadata: { a: null, b: [] },
      tools: [{ name: "f", input_schema: { required: [] } }],
    };

    expect(inspect("messages", structuredClone(body)).changed).toBe(false);
  });
});

describe("names that no row knows", () => {
  test("are listed once for every kind of object, by their places [BOD-1]", () => {
    const message = { role: "user", content: [{ type: "text", text: "x", of_next_year: 1 }], of_next_year: 2 };
    const { unknown, more } = inspect("chat", {
      messages: [message, structuredClone(message)],
      "no word": 1,
      top_k: 5,
    });

    expect(more).toBe(false);
    expect(unknown).toEqual([
      { name: "of_next_year", path: "messages.*.content.*.of_next_year", at: "messages.0.content.0.of_next_year" },
      { name: "of_next_year", path: "messages.*.of_next_year", at: "messages.0.of_next_year" },
      { name: "no word", path: "unknown", at: "unknown" },
      { name: "top_k", path: "top_k", at: "top_k" },
    ]);
  });

  test("are not listed without end", () => {
    const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`made_up_${index}`, 1]));

    const { unknown, more } = inspect("responses", body);

    expect({ listed: unknown.length, more }).toEqual({ listed: 100, more: true });
  });

  test("are not looked for in schemas, inputs, labels and biases", () => {
    const free = { MAX_TOKENS: 1, api_base: "x", of_next_year: null };
    const body = {
      metadata: free,
      logit_bias: free,
      tools: [{ type: "function", function: { name: "f", parameters: free } }],
      response_format: { type: "json_schema", json_schema: { name: "s", schema: free } },
    };

    expect(inspect("chat", body)).toEqual({
      cacheMarks: [],
      fault: null,
      changed: false,
      leftOut: [],
      unknown: [],
      more: false,
    });
  });
});

describe("what is left out", () => {
  test("is taken out of the value and named once for every place [BOD-34] [BOD-46]", () => {
    const message = { role: "user", content: [{ type: "text", text: "x", Text: "y" }], ROLE: "system" };
    const body = {
      messages: [message, structuredClone(message)],
      max_tokens: 5,
      Max_Tokens: 5_000,
      stream_options: { include_usage: true, Include_Usage: false },
      fallbacks: [{ model: "m" }],
      num_retries: 3,
      "\u017Ftream": true,
    };
    const { fault, leftOut } = inspect("chat", body);

    expect(fault).toBeNull();
    expect(leftOut.map(({ path, at }) => [path, at])).toEqual([
      ["messages.*.content.*.Text", "messages.0.content.0.Text"],
      ["messages.*.ROLE", "messages.0.ROLE"],
      ["Max_Tokens", "Max_Tokens"],
      ["stream_options.Include_Usage", "stream_options.Include_Usage"],
      ["fallbacks", "fallbacks"],
      ["num_retries", "num_retries"],
      ["unknown", "unknown"],
    ]);
    const kept = { role: "user", content: [{ type: "text", text: "x" }] };
    expect(body).toEqual({ messages: [kept, kept], max_tokens: 5, stream_options: { include_usage: true } });
  });

  test("asks for nothing that is refused: that is refused under any spelling [BOD-34]", () => {
    const refused: [ClientDialect, Record<string, unknown>, string][] = [
      ["responses", { Previous_Response_ID: "r" }, "Previous_Response_ID: Stored responses aren't supported."],
      ["responses", { Background: true }, "Background: Background responses aren't supported."],
      ["chat", { service_tier: "auto", Service_Tier: "priority" }, "Service_Tier: Only 'auto' and 'default'"],
      ["chat", { API_BASE: "https://x.example" }, "API_BASE: The gateway sets the provider's address"],
      ["messages", { tools: [{ name: "f", Type: "web_search_20260318" }] }, "tools.0.Type: Tool type 'web_search"],
    ];
    for (const [dialect, body, words] of refused) expect(inspect(dialect, body).fault?.message).toContain(words);
    expect(inspect("responses", { Background: false, SERVICE_TIER: "auto" }).fault).toBeNull();
  });

  test("is not what a request is nothing without [BOD-34]", () => {
    const words = (body: Record<string, unknown>): string | undefined => inspect("chat", body).fault?.message;

    expect(words({ Messages: [] })).toBe("Messages: Field names are case-sensitive. Use 'messages'.");
    expect(words({ messages: [{ role: "user", Content: "x" }] })).toBe(
      "messages.0.Content: Field names are case-sensitive. Use 'content'.",
    );
  });

  test("is a request to cache, wherever it stands [BOD-34]", () => {
    const body = { messages: [{ role: "user", content: "x", Cache_Control: { type: "ephemeral", ttl: "1h" } }] };

    expect(inspect("chat", body).leftOut).toMatchObject([{ path: "messages.*.Cache_Control" }]);
    expect(body.messages).toEqual([{ role: "user", content: "x" }]);
    const odd = { messages: [{ role: "user", content: "x", cache_control: { type: "ephemeral", TTL: "1h" } }] };
    expect(inspect("chat", odd).cacheMarks).toMatchObject([{ path: "messages.*.cache_control", asks: "hour" }]);
  });

  test("is listed up to a bound, and taken out beyond it", () => {
    const names = Array.from({ length: 200 }, (_, n) =>
      "frequency_penalty"
        .split("")
        .map((letter, at) => ((n + 1) & (1 << at) ? letter.toUpperCase() : letter))
        .join(""),
    );
    const body = Object.fromEntries(names.map((name) => [name, 1]));
    delete body["frequency_penalty"];
    const { leftOut } = inspect("chat", body);

    expect(leftOut).toHaveLength(100);
    expect(body).toEqual({});
  });
});

test("what is refused can be taken out instead, and with its kind the whole of an object", () => {
  const body = {
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "file", file_id: "f" } },
          { type: "text", text: "x" },
        ],
      },
    ],
    tools: [
      { type: "code_execution_20250825", name: "code_execution" },
      { name: "f", input_schema: {} },
    ],
    mcp_servers: [{ name: "x" }],
    Max_Tokens: 5,
  };

  expect(inspect("messages", body, "taken out")).toMatchObject({ fault: null, changed: true });
  expect(body).toEqual({
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "file" } },
          { type: "text", text: "x" },
        ],
      },
    ],
    tools: [{ name: "f", input_schema: {} }],
  });
});

const item = (fields: object): Record<string, unknown> => ({ input: [fields] });
const said = (part: object): Record<string, unknown> => ({ messages: [{ role: "user", content: [part] }] });

test.each<[dialect: "chat" | "responses" | "messages", body: Record<string, unknown>, message: string]>([
  [
    "responses",
    { background: true },
    "background: Background responses aren't supported. Remove this field, or set it to false.",
  ],
  [
    "responses",
    { previous_response_id: "r" },
    "previous_response_id: Stored responses aren't supported. Send the whole conversation in `input`.",
  ],
  [
    "responses",
    { conversation: "c" },
    "conversation: Stored conversations aren't supported. Send the whole conversation in `input`.",
  ],
  [
    "responses",
    { prompt: { id: "p" } },
    "prompt.id: Stored prompts aren't supported. Send the prompt itself in `instructions` and `input`.",
  ],
  [
    "responses",
    item({ type: "item_reference", id: "i" }),
    "input.0.type: References to stored items aren't supported. The gateway sends `store: false`, so send the item itself. AI SDK: set `providerOptions: { openai: { store: false } }`. OpenAI SDK: send `input: [...response.output, next]`.",
  ],
  [
    "responses",
    item({ type: "mcp_approval_response", approve: true }),
    "input.0.type: Remote MCP servers aren't supported. Remove this item.",
  ],
  [
    "responses",
    { tools: [{ type: "file_search", vector_store_ids: ["v"] }] },
    "tools.0.vector_store_ids: Vector stores aren't supported. Send the documents' text in the request.",
  ],
  [
    "responses",
    { tools: [{ type: "mcp", server_url: "https://x.example" }] },
    "tools.0.server_url: Tools on remote servers aren't supported. Remove this tool, or run it in your client.",
  ],
  [
    "responses",
    { service_tier: 2 },
    "service_tier: Input should be the name of a tier, such as 'default' or 'flex'. Use one, or remove this field.",
  ],
  [
    "chat",
    { modalities: ["text", "audio"] },
    "modalities: Audio output isn't supported: it has no published price here. Request text only.",
  ],
  [
    "chat",
    said({ type: "file", file: { file_id: "f" } }),
    "messages.0.content.0.file.file_id: Stored files aren't supported. Send the file's content in the request.",
  ],
  [
    "chat",
    { Web_Search_Options: { a: 1 } },
    "Web_Search_Options: Web search by the provider isn't supported: it has no published price here. Remove this field.",
  ],
  [
    "chat",
    { api_base: "https://x.example" },
    "api_base: The gateway sets the provider's address, credential, headers and options. Remove this field.",
  ],
  ["chat", { provider: { order: ["p"] } }, "provider: The gateway chooses routes. Remove this field."],
  [
    "chat",
    { priority: 1 },
    "priority: This field controls the provider's servers, which all clients share. Remove this field.",
  ],
  ["chat", { deferred: true }, "deferred: Deferred responses aren't supported. Remove this field, or set it to false."],
  ["messages", { betas: ["x"] }, "betas: Beta flags go in the header `anthropic-beta`. Send them there."],
  [
    "messages",
    { container: "c" },
    "container: Containers and skills aren't supported: they are kept in the provider's account and billed by time, which no response reports. Remove this field.",
  ],
  ["messages", { thread: "t" }, "thread: Stored threads aren't supported. Send the whole conversation in `messages`."],
  ["messages", { safeguards: { enabled: true } }, "safeguards: Safeguards aren't supported. Remove this field."],
])("a refused field of %s gets advice of its own: %j", (dialect, body, message) => {
  expect(inspect(dialect, body).fault?.message).toBe(message);
});
