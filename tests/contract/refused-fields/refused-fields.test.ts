import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { JSON_TYPE } from "../create-chat-completion/ask.ts";
import { bearer, knock } from "../knock.ts";

const FORMATS = {
  chat: { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "Hello" }] } },
  responses: { path: "/v1/responses", body: { input: "Hello" } },
  messages: { path: "/v1/messages", body: { messages: [{ role: "user", content: "Hello" }] } },
} as const;
type Format = keyof typeof FORMATS;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      (["chat", "responses", "messages"] as const).map((dialect) => [dialect, { upstream: "sim", dialect }]),
    ),
  });
});
afterAll(async () => {
  const calls = await gateway.witness();
  await gateway.stop();
  expect(calls).toEqual([]);
});

const say = (content: object): object => ({ messages: [{ role: "user", content: [content] }] });
const input = (content: object): object => ({ input: [{ role: "user", content: [content] }] });

const CODE_CALL = { type: "code_interpreter_call", id: "ci_1", status: "completed", code: "1", container_id: "cntr_1" };
const SEARCH_CALL = { type: "file_search_call", id: "fs_1", status: "completed", queries: ["x"] };
const cited = (annotation: object): object => ({
  input: [{ role: "assistant", content: [{ type: "output_text", text: "x", annotations: [annotation] }] }],
});

const documentOf = (part: object): object => ({ type: "document", source: { type: "content", content: [part] } });

const MEDIA = [
  "http://169.254.169.254/latest/meta-data",
  "file:///etc/passwd",
  "ms://file-1",
  "s3://bucket/x.png",
  " https://example.com/x.png",
  "https:\\\\example.com\\x.png",
  "https://user:secret@example.com/x.png",
];

/** What a provider keeps in an account that strangers share, or does at a price that is not published. [interface decision 13] */
const CASES: Record<string, [format: Format, param: string, fields: object][]> = {
  "an earlier response [BOD-12]": [["responses", "previous_response_id", { previous_response_id: "resp_1" }]],
  "a stored conversation [BOD-13]": [
    ["responses", "conversation", { conversation: "conv_1" }],
    ["responses", "conversation", { conversation: { id: "conv_1" } }],
  ],
  "work in the background [BOD-14]": [["responses", "background", { background: true }]],
  "a reference to an item [BOD-15]": [
    ["responses", "input.0.type", { input: [{ type: "item_reference", id: "msg_1" }] }],
  ],
  "a stored prompt [BOD-16]": [["responses", "prompt.id", { prompt: { id: "pmpt_1" } }]],
  "a stored file [BOD-17]": [
    ["chat", "messages.0.content.0.file.file_id", say({ type: "file", file: { file_id: "f" } })],
    ["responses", "input.0.content.0.file_id", input({ type: "input_file", file_id: "f" })],
    ["messages", "messages.0.content.0.source.file_id", say({ type: "image", source: { type: "file", file_id: "f" } })],
    ["messages", "messages.0.content.0.file_id", say({ type: "container_upload", file_id: "f" })],
  ],
  "a vector store [BOD-18]": [
    ["responses", "tools.0.vector_store_ids", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
  ],
  "a container or a skill [BOD-19]": [
    ["messages", "container", { container: { skills: [{ skill_id: "pptx" }] } }],
    ["messages", "container", { container: "container_1" }],
    ["responses", "tools.0.container", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }],
    ["responses", "tools.0.environment.type", { tools: [{ type: "shell", environment: { type: "container_auto" } }] }],
  ],
  "a connector or a server the provider calls [BOD-20]": [
    ["responses", "tools.0.server_url", { tools: [{ type: "mcp", server_url: "https://example.com" }] }],
    ["responses", "tools.0.connector_id", { tools: [{ type: "mcp", connector_id: "connector_gmail" }] }],
    ["messages", "mcp_servers", { mcp_servers: [{ type: "url", url: "https://example.com", name: "x" }] }],
  ],
  "stored audio [BOD-21]": [["chat", "messages.0.audio.id", { messages: [{ role: "assistant", audio: { id: "a" } }] }]],
  "a stored cache or file of Gemini [BOD-22]": [
    ["chat", "cachedContent", { cachedContent: "cachedContents/1" }],
    ["chat", "extra_body.google.cached_content", { extra_body: { google: { cached_content: "cachedContents/1" } } }],
    ["chat", "messages.0.content.0.fileData.fileUri", say({ fileData: { fileUri: "https://example.com/files/1" } })],
    ["responses", "cachedContent", { cachedContent: "cachedContents/1" }],
    ["messages", "cachedContent", { cachedContent: "cachedContents/1" }],
  ],
  "a place in a bucket of Bedrock's account [BOD-23]": [
    [
      "messages",
      "messages.0.content.0.source.s3Location",
      say({ type: "image", source: { s3Location: { uri: "s3://ours/x.png" } } }),
    ],
    [
      "chat",
      "messages.0.content.0.image.source.s3Location",
      say({ image: { format: "png", source: { s3Location: { uri: "s3://ours/x.png" } } } }),
    ],
  ],
  "another price [BOD-24]": [
    ["chat", "service_tier", { service_tier: "priority" }],
    ["chat", "inference_geo", { inference_geo: "us" }],
    ["responses", "service_tier", { service_tier: "flex" }],
    ["messages", "service_tier", { service_tier: "priority" }],
    ["messages", "speed", { speed: "fast" }],
    ["messages", "inference_geo", { inference_geo: "us" }],
  ],
  "a tool that the provider runs for money [BOD-25]": [
    ["chat", "web_search_options", { web_search_options: {} }],
    ["responses", "tools.0.type", { tools: [{ type: "web_search" }] }],
    ["messages", "tools.0.type", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["messages", "tools.0.type", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }],
  ],
  "a file or a container that an earlier answer names [BOD-17] [BOD-19]": [
    ["responses", "input.0.container_id", { input: [CODE_CALL] }],
    ["responses", "input.0.results.0.file_id", { input: [{ ...SEARCH_CALL, results: [{ file_id: "f", text: "x" }] }] }],
    ["responses", "input.0.content.0.annotations.0.file_id", cited({ type: "file_citation", file_id: "f", index: 0 })],
    ["responses", "input.0.content.0.annotations.0.container_id", cited({ container_id: "c", filename: "x.csv" })],
    [
      "responses",
      "tools.0.environment.skills.0.skill_id",
      { tools: [{ type: "shell", environment: { type: "local", skills: [{ skill_id: "s" }] } }] },
    ],
    [
      "messages",
      "messages.0.content.0.citations.0.file_id",
      say({ type: "text", text: "x", citations: [{ file_id: "f" }] }),
    ],
  ],
  "an item that is named by its id alone [BOD-15]": [
    ["responses", "input.0.id", { input: [{ id: "msg_1" }] }],
    ["responses", "input.0.id", { input: [{ id: "msg_1", type: null }] }],
    ["responses", "input.0.id", { input: [{ id: "msg_1", status: "completed", role: "user" }] }],
  ],
  "a stored file, wherever a provider takes one [BOD-17]": [
    ["chat", "messages.0.content.0.file_id", say({ type: "file", file_id: "f" })],
    [
      "messages",
      "messages.0.content.0.content.0.source.content.0.source.file_id",
      say({
        type: "tool_result",
        tool_use_id: "t",
        content: [documentOf({ type: "image", source: { type: "file", file_id: "f" } })],
      }),
    ],
    ["messages", "messages.0.content.0.source.content.0.file_id", say(documentOf({ type: "image", file_id: "f" }))],
  ],
  "a place or a credential for the provider to use [BOD-32]": (["chat", "responses", "messages"] as const).flatMap(
    (format) =>
      ["api_base", "base_url", "api_key", "data_sources", "kv_transfer_params", "bootstrap_host", "extra_headers"].map(
        (name): [Format, string, object] => [format, name, { [name]: "http://127.0.0.1:1/" }],
      ),
  ),
  "a choice that is the operator's [BOD-32]": (["chat", "responses", "messages"] as const).flatMap((format) =>
    Object.entries({
      preset: "@preset/x",
      custom_llm_provider: "openai",
      priority: -100,
      request_id: "req-of-another",
      best_of: 8,
      custom_logit_processor: "code",
      deferred: true,
      lora_path: "/x",
      chat_template: "{{ messages }}",
    }).map(([name, value]): [Format, string, object] => [format, name, { [name]: value }]),
  ),
  "an answer that is not given here [BOD-33]": (["chat", "responses", "messages"] as const).map(
    (format): [Format, string, object] => [format, "safeguards", { safeguards: { enabled: true } }],
  ),
  "a refused field in another case, or a required one [BOD-34]": [
    ["chat", "Service_Tier", { service_tier: "default", Service_Tier: "priority" }],
    ["chat", "messages.0.Content", { messages: [{ role: "user", Content: "y" }] }],
    ["chat", "API_Base", { API_Base: "http://127.0.0.1:1/" }],
    ["responses", "Previous_Response_Id", { Previous_Response_Id: "resp_1" }],
    ["responses", "tools.0.Type", { tools: [{ Type: "web_search" }] }],
    ["messages", "Container", { Container: "c" }],
  ],
  "media that is neither inline nor at an https address [BOD-35]": MEDIA.flatMap((url): [Format, string, object][] => [
    ["chat", "messages.0.content.0.image_url.url", say({ type: "image_url", image_url: { url } })],
    ["responses", "input.0.content.0.image_url", input({ type: "input_image", image_url: url })],
    ["responses", "input.0.content.0.file_url", input({ type: "input_file", file_url: url })],
    [
      "responses",
      "input.0.output.0.image_url",
      { input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: url }] }] },
    ],
    ["messages", "messages.0.content.0.source.url", say({ type: "image", source: { type: "url", url } })],
    [
      "messages",
      "messages.0.content.0.content.0.source.content.0.source.url",
      say({
        type: "tool_result",
        tool_use_id: "t",
        content: [documentOf({ type: "image", source: { type: "url", url } })],
      }),
    ],
  ]),
};

describe.each(Object.entries(CASES))("%s", (_name, cases) => {
  test.each(cases)("is refused in %s by its path, %s", async (format, param, fields) => {
    const { path, body } = FORMATS[format];
    const reply = await knock(`${gateway.publicUrl}${path}`, {
      method: "POST",
      headers: [...bearer(gateway.keys.credit), ...JSON_TYPE],
      body: JSON.stringify({ model: format, ...body, ...fields }),
    });
    const { error } = JSON.parse(reply.text) as { error: { code: string; message: string; param?: string } };

    expect({ status: reply.status, code: error.code }).toEqual({ status: 400, code: "invalid_request" });
    expect(error.message.startsWith(`${param}: `)).toBe(true);
    if (format !== "messages") expect(error.param).toBe(param);
  });
});
