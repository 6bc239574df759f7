import { expect, test } from "vitest";
import { processorMs } from "../../../tests/support/processor-time.ts";
import { scrub } from "./scrub.ts";

/** Each as a provider, a proxy or a server that somebody runs himself has said it, with made-up values. */
const PRIVATE = [
  "sk-proj-abc123DEF-456_x",
  "sk-ant-api03-AAAA",
  "gsk_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6",
  "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
  "xai-Qw12Er34Ty56Ui78Op90",
  "AKIAIOSFODNN7EXAMPLE",
  "ASIAIOSFODNN7EXAMPLE",
  "hf_abcdEFGHijklMNOPqrstUVWXyz",
  "nvapi-abcdefgh",
  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvcHMifQ.dBjftJeZ4CVP",
  "arn:aws:bedrock:us-east-1:123456789012:inference-profile/acme",
  "123456789012",
  "org-AbC123",
  "org-acme",
  "proj_9z",
  "acct_1J",
  "req_011CS",
  "550e8400-e29b-41d4-a716-446655440000",
  "chatcmpl-9d8f7a6b5c4d3e2f1a0b",
  "ops@example.com",
  "https://platform.example.com/account/api-keys?x=1",
  "postgres://tollgate:hunter2@db/ledger",
  "llm-gateway.prod.svc.cluster.local",
  "gpu-07.internal.example.com:8443",
  "gpu-07:8443",
  "api.openai.com",
  "messages.corp.internal",
  "ip-10-0-3-17.ec2.internal",
  "ip-10-0-3-17",
  "10.1.2.3",
  "10.1.2.3:8000",
  "fe80::1ff:fe23:4567:890a",
  "[2001:db8::7]:443",
  "/srv/models/llama/weights.bin",
  "/home/ubuntu/vllm/engine.py",
  "~/secrets",
  "C:\\models\\weights",
  "home/ubuntu",
  "projects/acme-llm",
  "projects/acme-llm/locations/us-central1/endpoints/77",
  "accounts/acme/models/llama",
  "api_key=abc",
  "token=7Gh2kLm9",
  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "QmFzZTY0RW5jb2RlZFNlY3JldA==",
];

test.each(PRIVATE)("%s does not reach a caller [UPS-9]", (secret) => {
  for (const text of [
    `Refused for ${secret} today.`,
    `Refused ("${secret}"), today`,
    `at ${secret}`,
    `'${secret}': no`,
  ]) {
    expect(scrub(text)).not.toContain(secret);
    expect(scrub(text)).toContain("[…]");
  }
  expect(scrub(`Refused for ${secret} today.`)).toMatch(/^Refused for .* today\.$/);
});

test.each([
  ["Bearer abcdef", "abcdef"],
  ["authorization: Basic dXNlcg==", "dXNlcg"],
  ["Organization acme-corp has no access", "acme-corp"],
  ["organization `acme-corp` has no access", "acme-corp"],
  ["Project number: 4711 is not allowed", "4711"],
  ["in project my-gcp-project", "my-gcp-project"],
  ["on host gpu-node-07", "gpu-node-07"],
  ["(worker gpu_7)", "gpu_7"],
])("%s loses what it names [UPS-9]", (text, secret) => {
  expect(scrub(text)).not.toContain(secret);
});

/** What callers and agents read, and act upon. */
const HELPFUL = [
  "messages.1.role: Input should be 'user' or 'assistant'",
  'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
  "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A09q90qw90lq917835lq9. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  "max_tokens is too large: 5000. This model supports at most 4096 completion tokens, whereas you provided 5000.",
  "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5-20250929",
  "`temperature` may only be set to 1 when thinking is enabled.",
  "temperature: range: -1..1",
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 10500 tokens.",
  "prompt is too long: 200001 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  "Invalid schema for response_format 'it': In context=('properties', 'city'), 'additionalProperties' is required to be supplied and to be false.",
  "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  "tools.0.custom.input_schema.type: Field required",
  "tools.12.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
  "messages.0.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  "The model `gpt-4o-mini-2024-07-18` does not support image inputs.",
  "meta-llama/Llama-3.3-70B-Instruct-Turbo does not support tools",
  "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?",
  "body.max_completion_tokens: Extra inputs are not permitted; body.messages.2.content: Input should be a valid string",
  "Your organization must be verified to stream this model.",
  "Item 'rs_68af40' of type 'reasoning' was provided without its required following item.",
  "Only 50% of the images (e.g. of 3) could be read, i.e. 1.5 of them; n must be 1.",
  "No tool call found for function call output with call_id call_9pT2kqLm3xWz.",
  "Das Feld „größe“ fehlt: überprüfe die Angaben",
];

test.each(HELPFUL)("%s reaches a caller as it is [UPS-9]", (text) => {
  expect(scrub(text)).toBe(text);
});

test("the model that was asked for may be named, unless it is named after our account", () => {
  const said = (model: string): string => scrub(`The model '${model}' takes no images.`, model);

  expect(said("us.anthropic.claude-3-5-sonnet-20241022-v2:0")).toContain(
    "us.anthropic.claude-3-5-sonnet-20241022-v2:0",
  );
  expect(said("llama3.1:8b")).toContain("llama3.1:8b");
  expect(said("arn:aws:bedrock:us-east-1:123456789012:inference-profile/x")).not.toContain("123456789012");
  expect(said("accounts/acme/models/llama")).not.toContain("acme");
});

test("a key that stands where the text is cut is not shown in part", () => {
  const key = "gsk_abcdefghijklmnop";

  for (let at = 4_060; at < 4_110; at++) expect(scrub(`${"x ".repeat(at / 2)}${key}`)).not.toContain("gsk_");
  for (let at = 470; at < 520; at++) expect(scrub(`${"x ".repeat(at / 2)}${key}`)).not.toContain("gsk_");
});

test.each(["a-", "a.", "a@", "a@a", "Bearer ", "1.1", "/", "=", "a=", ":", "aB", "é", "[", "a/b ", "$", "%4", "*"])(
  "a text made of %j takes no time to speak of",
  (unit) => {
    const text = unit.repeat(1_000_000 / unit.length);

    expect(processorMs(() => scrub(text))).toBeLessThan(100);
  },
);
