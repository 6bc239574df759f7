import { describe, expect, test } from "vitest";
import { refuseFields } from "./refused-fields.ts";

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
    ["modalities.1", { modalities: ["text", "audio"] }],
    ["service_tier", { service_tier: "priority" }],
    ["web_search_options", { web_search_options: {} }],
    ["models", { models: ["another/model"] }],
    ["tools.1.type", { tools: [{ type: "function" }, { type: "web_search" }] }],
  ],
  responses: [
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: { id: "conv_1" } }],
    ["background", { background: true }],
    ["prompt.id", { prompt: { id: "pmpt_1" } }],
    ["input.1.type", { input: [{ type: "message" }, { type: "item_reference", id: "msg_1" }] }],
    ["input.0.content.1.file_id", { input: [{ content: [{}, { type: "input_file", file_id: "f" }] }] }],
    ["input.0.output.0.file_id", { input: [{ output: [{ type: "input_image", file_id: "f" }] }] }],
    ["tools.0.vector_store_ids", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
    ["tools.0.container", { tools: [{ type: "code_interpreter", container: "cntr_1" }] }],
    ["tools.0.environment.type", { tools: [{ type: "shell", environment: { type: "container_auto" } }] }],
    ["tools.0.server_url", { tools: [{ type: "mcp", server_url: "https://example.com" }] }],
    ["tools.0.connector_id", { tools: [{ type: "mcp", connector_id: "connector_gmail" }] }],
    ["tools.0.type", { tools: [{ type: "web_search" }] }],
    ["tools.0.tools.1.type", { tools: [{ type: "namespace", tools: [{ type: "function" }, { type: "mcp" }] }] }],
    ["input.0.tools.0.type", { input: [{ type: "additional_tools", tools: [{ type: "web_search" }] }] }],
    ["input.0.tools.0.tools.0.type", { input: [inNamespace({ type: "web_search" })] }],
    ["input.0.tools.0.tools.0.type", { input: [inNamespace({ type: "namespace", tools: [{ type: "mcp" }] })] }],
    [
      "input.0.tools.0.tools.0.environment.type",
      { input: [inNamespace({ type: "shell", environment: { type: "container_auto" } })] },
    ],
    ["service_tier", { service_tier: "flex" }],
  ],
  messages: [
    ["container", { container: { skills: [{ skill_id: "pptx" }] } }],
    ["mcp_servers", { mcp_servers: [] }],
    ["messages.1.content.0.source.file_id", { ...say([{ type: "document", source: { type: "file", file_id: "f" } }]) }],
    ["messages.1.content.0.file_id", { ...say([{ type: "container_upload", file_id: "f" }]) }],
    [
      "messages.1.content.0.content.0.source.file_id",
      { ...say([{ type: "tool_result", content: [{ type: "image", source: { type: "file", file_id: "f" } }] }]) },
    ],
    ["tools.1.type", { tools: [{ name: "f" }, { type: "web_search_20260318", name: "web_search" }] }],
    ["tools.0.type", { tools: [{ type: "code_execution_20250825" }] }],
    ["tools.0.mcp_server_name", { tools: [{ type: "mcp_toolset", mcp_server_name: "x" }] }],
    ["service_tier", { service_tier: "priority" }],
    ["speed", { speed: "fast" }],
    ["inference_geo", { inference_geo: "us" }],
    ["fallbacks", { fallbacks: [{ model: "another" }] }],
  ],
};

const ALLOWED: Record<"chat" | "responses" | "messages", Record<string, unknown>[]> = {
  chat: [
    { service_tier: "auto", web_search_options: null, modalities: ["text"], tools: [{ type: "function" }, {}] },
    { messages: [{ role: "user", content: [{ type: "text", text: "file_id" }] }] },
  ],
  responses: [
    { previous_response_id: null, background: false, service_tier: "default", prompt: {}, input: "file_id" },
    { tools: [{ type: "function" }, { type: "namespace", tools: [{ type: "custom" }] }, { type: "local_shell" }] },
    { input: [{ type: "function_call", arguments: '{"file_id":"mine"}' }] },
    {
      input: [
        inNamespace({ type: "function", name: "f" }),
        inNamespace({ type: "shell", environment: { type: "local" } }),
      ],
    },
  ],
  messages: [
    { service_tier: "standard_only", speed: "standard", container: null },
    { tools: [{ name: "f" }, { type: "custom" }, { type: "bash_20250124" }, { type: "text_editor_20250728" }] },
    // What the caller's own tool was called with is its own affair.
    { ...say([{ type: "tool_use", input: { file_id: "mine", source: { file_id: "mine" } } }]) },
  ],
};

describe.each(["chat", "responses", "messages"] as const)("in %s", (dialect) => {
  test.each(REFUSED[dialect])("%s is refused by its path [BOD-27]", (param, body) => {
    expect(() => refuseFields(dialect, body)).toThrow(
      expect.objectContaining({ code: "invalid_request", param, message: expect.stringContaining(param) as string }),
    );
  });

  test("what neither keeps state nor changes a price is carried", () => {
    for (const body of ALLOWED[dialect]) expect(() => refuseFields(dialect, body)).not.toThrow();
  });
});

test("a refused value is named, unless it is long or not a word", () => {
  const refuse = (type: string) => () => refuseFields("responses", { tools: [{ type: "function" }, { type }] });

  expect(refuse("web_search")).toThrow("tools.1.type: 'web_search' changes what the provider charges");
  expect(refuse("a b")).toThrow("tools.1.type: This field changes");
  expect(refuse("x".repeat(65))).toThrow("tools.1.type: This field changes");
});
