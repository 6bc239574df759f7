import { expect, test } from "vitest";
import { createPrepareRoute } from "./route/prepare-route.ts";
import { COMPATIBLE_PROVIDERS, quirksAt } from "./providers.ts";
import type { Route } from "../core/catalogue/route.ts";

test("each listed host is found by its own base URLs, and by no other provider's", () => {
  for (const provider of COMPATIBLE_PROVIDERS.filter(({ hosts }) => hosts.length > 0)) {
    for (const url of Object.values(provider.baseUrls)) expect(quirksAt(url), url).toBe(provider);
  }
});

/** Taken from the providers' own pages; a slip of the pen in the table would otherwise show first at a customer's. */
test.each([
  ["OpenAI", "chat", "https://api.openai.com/v1/chat/completions"],
  ["OpenAI", "responses", "https://api.openai.com/v1/responses"],
  ["Azure OpenAI", "chat", "https://resource.openai.azure.com/openai/v1/chat/completions"],
  ["Azure OpenAI", "messages", "https://resource.services.ai.azure.com/anthropic/v1/messages"],
  ["Amazon Bedrock", "chat", "https://bedrock-runtime.region.amazonaws.com/openai/v1/chat/completions"],
  ["Amazon Bedrock", "responses", "https://bedrock-runtime.region.amazonaws.com/openai/v1/responses"],
  ["Amazon Bedrock Mantle", "chat", "https://bedrock-mantle.region.api.aws/openai/v1/chat/completions"],
  ["Amazon Bedrock Mantle", "messages", "https://bedrock-mantle.region.api.aws/anthropic/v1/messages"],
  [
    "Google Vertex AI",
    "chat",
    "https://region-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION/endpoints/openapi/chat/completions",
  ],
  ["Groq", "chat", "https://api.groq.com/openai/v1/chat/completions"],
  ["Groq", "responses", "https://api.groq.com/openai/v1/responses"],
  ["Mistral", "chat", "https://api.mistral.ai/v1/chat/completions"],
  ["DeepSeek", "chat", "https://api.deepseek.com/chat/completions"],
  ["DeepSeek", "messages", "https://api.deepseek.com/anthropic/v1/messages"],
  ["xAI", "responses", "https://api.x.ai/v1/responses"],
  ["Together", "chat", "https://api.together.ai/v1/chat/completions"],
  ["Moonshot", "chat", "https://api.moonshot.ai/v1/chat/completions"],
  ["Fireworks", "messages", "https://api.fireworks.ai/inference/v1/messages"],
  ["OpenRouter", "chat", "https://openrouter.ai/api/v1/chat/completions"],
  ["vLLM", "messages", "http://127.0.0.1:8000/v1/messages"],
  ["Ollama", "messages", "http://127.0.0.1:11434/v1/messages"],
  ["LM Studio", "chat", "http://127.0.0.1:1234/v1/chat/completions"],
] as const)("%s is asked for %s where its documentation says", (name, dialect, address) => {
  const provider = COMPATIBLE_PROVIDERS.find((listed) => listed.name === name);
  const route = { baseUrl: provider?.baseUrls[dialect], dialect, credentialRef: "none" } as Route;
  const { origin, paths } = createPrepareRoute(() => null)(route);

  expect([origin + paths.whole, origin + paths.streamed]).toEqual([address, address]);
});

test("Google's express mode has the model in the path", () => {
  const route = { baseUrl: "https://aiplatform.googleapis.com/v1beta1/publishers/google", dialect: "gemini" } as const;
  const { origin, paths } = createPrepareRoute(() => null)({ ...route, upstreamModel: "gemini-3-pro" } as Route);

  expect(origin + paths.streamed).toBe(
    "https://aiplatform.googleapis.com/v1beta1/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse",
  );
});

test.each([
  "https://bedrock-runtime.eu-central-1.amazonaws.com.example.com/v1",
  "https://bedrock-runtime.amazonaws.com/v1",
  "https://bedrock-runtime.a.b.amazonaws.com/v1",
  "https://xbedrock-mantle.eu-central-1.api.aws/v1",
  "https://aiplatform-googleapis.com/v1",
])("%s is no cloud's", (url) => {
  expect(COMPATIBLE_PROVIDERS).not.toContain(quirksAt(url));
});

test("a host that only looks like a listed one has no quirks", () => {
  const plain = {
    credentialHeader: "authorization",
    chat: { outputLimitField: "max_tokens", streamOptions: "accepted", callIds: "any" },
  };

  expect(quirksAt("https://api.mistral.ai.example.com/v1")).toMatchObject(plain);
  expect(quirksAt("https://notopenai.azure.com/openai/v1")).toMatchObject(plain);
  expect(quirksAt("http://127.0.0.1:8000/v1")).toMatchObject(plain);
});

test("the limit of output and the options of streams are named as each provider takes them", () => {
  expect(quirksAt("https://api.openai.com/v1")).toMatchObject({
    chat: { outputLimitField: "max_completion_tokens" },
    responses: { leastOutputTokens: 16 },
  });
  expect(quirksAt("https://api.mistral.ai/v1")).toMatchObject({
    chat: { outputLimitField: "max_tokens", streamOptions: "refused", callIds: "nine" },
  });
});

test.each([
  ["https://acme.openai.azure.com/openai/v1", "chat", { "api-key": "sk-1" }],
  ["https://api.openai.com/v1", "chat", { authorization: "Bearer sk-1" }],
  ["https://api.deepseek.com/anthropic/v1", "messages", { "x-api-key": "sk-1" }],
] as const)(
  "a call to %s carries its credential where it is expected, and nowhere else",
  (baseUrl, dialect, header) => {
    const prepare = createPrepareRoute(() => "sk-1");
    const { headers } = prepare({ baseUrl, dialect, credentialRef: "env:KEY" } as Route);
    const carriers = Object.entries(headers).filter(([, value]) => value.includes("sk-1"));

    expect(Object.fromEntries(carriers)).toEqual(header);
  },
);
