import type { PlatformName } from "../core/catalogue/platform.ts";
import type { ProviderDialect } from "../core/request/dialect.ts";
import type { DialectQuirks } from "../wire/dialect-quirks.ts";

/** How a provider that speaks one of our formats differs from the others that do. */
export type CompatibleProvider = {
  name: string;
  /** Where each format it speaks is found, up to and without the operation's path. Capitals stand for what is yours. */
  baseUrls: Partial<Record<ProviderDialect, string>>;
  /** Hosts that are this provider's, or end with a dot and one of these; `*` is one label or a part of one. Empty: it runs where the operator runs it. */
  hosts: readonly string[];
  /** Where chat and responses expect the credential. Messages always has it in `x-api-key`. */
  credentialHeader: "authorization" | "api-key";
  /** Whether its chat streams keep the `STR` rules by themselves, so that a route may be declared conformant. */
  conformant: boolean;
  /** The cloud that it is, of those whose own ways of being called `platform/` knows. */
  platform: PlatformName | null;
  /** What else an operator should know. */
  remark: string;
} & DialectQuirks;

/** What is assumed of a provider that is not listed: what most of them have in common. */
const UNLISTED = {
  credentialHeader: "authorization",
  conformant: false,
  platform: null,
  chat: { outputLimitField: "max_tokens", streamOptions: "accepted", callIds: "any" },
  responses: { leastOutputTokens: null },
  messages: { cloud: null },
} as const satisfies Partial<CompatibleProvider>;

const everywhere = (url: string, ...dialects: ProviderDialect[]): CompatibleProvider["baseUrls"] =>
  Object.fromEntries(dialects.map((dialect) => [dialect, url]));

export const COMPATIBLE_PROVIDERS: readonly CompatibleProvider[] = [
  {
    ...UNLISTED,
    name: "OpenAI",
    baseUrls: everywhere("https://api.openai.com/v1", "chat", "responses"),
    hosts: ["api.openai.com"],
    conformant: true,
    chat: { ...UNLISTED.chat, outputLimitField: "max_completion_tokens" },
    responses: { leastOutputTokens: 16 },
    remark: "Reasoning models reject `max_tokens`; all models accept the newer name.",
  },
  {
    ...UNLISTED,
    name: "Anthropic",
    baseUrls: everywhere("https://api.anthropic.com/v1", "messages"),
    hosts: ["api.anthropic.com"],
    conformant: true,
    remark: "Serves only messages; its routes may be declared conformant.",
  },
  {
    ...UNLISTED,
    name: "Google Gemini",
    baseUrls: { gemini: "https://generativelanguage.googleapis.com/v1beta" },
    hosts: ["generativelanguage.googleapis.com"],
    remark: "Has its own format and uses an API key. `upstream_model` works with or without the prefix `models/`.",
  },
  {
    ...UNLISTED,
    name: "Azure OpenAI",
    baseUrls: {
      ...everywhere("https://RESOURCE.openai.azure.com/openai/v1", "chat", "responses"),
      messages: "https://RESOURCE.services.ai.azure.com/anthropic/v1",
    },
    hosts: ["openai.azure.com", "services.ai.azure.com"],
    credentialHeader: "api-key",
    platform: "azure",
    chat: { ...UNLISTED.chat, outputLimitField: "max_completion_tokens" },
    responses: { leastOutputTokens: 16 },
    remark:
      "`upstream_model` is the name of the deployment. Streams begin with a chunk without choices. Presets: `azure`, `azure-deployments` for addresses with an API version, and `foundry` for messages.",
  },
  {
    ...UNLISTED,
    name: "Amazon Bedrock",
    baseUrls: {
      ...everywhere("https://bedrock-runtime.REGION.amazonaws.com/openai/v1", "chat", "responses"),
      messages: "https://bedrock-runtime.REGION.amazonaws.com",
      converse: "https://bedrock-runtime.REGION.amazonaws.com",
    },
    hosts: ["bedrock-runtime.*.amazonaws.com"],
    platform: "bedrock",
    chat: { ...UNLISTED.chat, outputLimitField: "max_completion_tokens" },
    responses: { leastOutputTokens: 16 },
    remark:
      "Takes a Bedrock API key, which a short-term one is for one region only. Runs no tools of its own. Presets: `bedrock`, `bedrock-converse` for all models by Converse, and `bedrock-invoke` for Claude by InvokeModel.",
  },
  {
    ...UNLISTED,
    name: "Amazon Bedrock Mantle",
    baseUrls: {
      ...everywhere("https://bedrock-mantle.REGION.api.aws/openai/v1", "chat", "responses"),
      messages: "https://bedrock-mantle.REGION.api.aws/anthropic/v1",
    },
    hosts: ["bedrock-mantle.*.api.aws"],
    chat: { ...UNLISTED.chat, outputLimitField: "max_completion_tokens" },
    responses: { leastOutputTokens: 16 },
    remark:
      "Takes a Bedrock API key. Names have no `us.` or `global.` in front. The open models `gpt-oss` are at `/v1` instead of `/openai/v1`. Guardrails are ignored. Presets: `bedrock-mantle`, and `bedrock-claude` for messages.",
  },
  {
    ...UNLISTED,
    name: "Google Vertex AI",
    baseUrls: {
      gemini: "https://REGION-aiplatform.googleapis.com/v1beta1/projects/PROJECT/locations/REGION",
      messages: "https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION",
      chat: "https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION/endpoints/openapi",
    },
    hosts: ["aiplatform.googleapis.com", "*-aiplatform.googleapis.com", "aiplatform.*.rep.googleapis.com"],
    platform: "vertex",
    remark:
      "With the gateway's identity, `google`. Presets: `vertex`, `vertex-claude`, `vertex-openai`, and `vertex-express` for Gemini with the key of express mode.",
  },
  {
    ...UNLISTED,
    name: "Groq",
    baseUrls: everywhere("https://api.groq.com/openai/v1", "chat", "responses"),
    hosts: ["api.groq.com"],
    remark: "Rejects `logprobs`, `top_logprobs`, `logit_bias`, `messages[].name`, and `n` other than 1.",
  },
  {
    ...UNLISTED,
    name: "Mistral",
    baseUrls: everywhere("https://api.mistral.ai/v1", "chat"),
    hosts: ["api.mistral.ai"],
    chat: { ...UNLISTED.chat, streamOptions: "refused", callIds: "nine" },
    remark: "Returns 422 for any unknown field, including `max_completion_tokens`. Usage is in the last chunk.",
  },
  {
    ...UNLISTED,
    name: "DeepSeek",
    baseUrls: { chat: "https://api.deepseek.com", messages: "https://api.deepseek.com/anthropic/v1" },
    hosts: ["api.deepseek.com"],
    remark: "Each format has its own base URL, so add it as two providers.",
  },
  {
    ...UNLISTED,
    name: "xAI",
    baseUrls: everywhere("https://api.x.ai/v1", "chat", "responses"),
    hosts: ["api.x.ai"],
    remark: "Its messages endpoint is deprecated; do not use it.",
  },
  {
    ...UNLISTED,
    name: "Together",
    baseUrls: everywhere("https://api.together.ai/v1", "chat"),
    hosts: ["api.together.ai", "api.together.xyz"],
    remark: "`upstream_model` starts with the maker's name: `openai/gpt-oss-20b`.",
  },
  {
    ...UNLISTED,
    name: "Moonshot",
    baseUrls: everywhere("https://api.moonshot.ai/v1", "chat", "responses"),
    hosts: ["api.moonshot.ai", "api.moonshot.cn"],
    remark:
      "The address in China is `api.moonshot.cn`. Chunks lack `object`; usage is in the last chunk with a choice.",
  },
  {
    ...UNLISTED,
    name: "Fireworks",
    baseUrls: everywhere("https://api.fireworks.ai/inference/v1", "chat", "responses", "messages"),
    hosts: ["api.fireworks.ai"],
    remark: "`upstream_model` is a resource name, `accounts/fireworks/models/…`. Usage is always in the last chunk.",
  },
  {
    ...UNLISTED,
    name: "OpenRouter",
    baseUrls: everywhere("https://openrouter.ai/api/v1", "chat"),
    hosts: ["openrouter.ai"],
    remark:
      "Sends comments while it waits. Reports a failure mid-stream as a chunk with `error` and the finish reason `error`.",
  },
  {
    ...UNLISTED,
    name: "vLLM",
    baseUrls: everywhere("http://127.0.0.1:8000/v1", "chat", "responses", "messages"),
    hosts: [],
    remark: "Needs a credential only if started with `--api-key`, and then as `authorization`, so not for messages.",
  },
  {
    ...UNLISTED,
    name: "Ollama",
    baseUrls: everywhere("http://127.0.0.1:11434/v1", "chat", "responses", "messages"),
    hosts: [],
    remark:
      "Needs no credential. Accepts the output limit only as `max_tokens`. The first call loads the model: set a long first-byte timeout.",
  },
  {
    ...UNLISTED,
    name: "LM Studio",
    baseUrls: everywhere("http://127.0.0.1:1234/v1", "chat", "responses", "messages"),
    hosts: [],
    remark: "Needs a credential only if configured. The first call may load the model.",
  },
];

export type Quirks = Pick<CompatibleProvider, "credentialHeader"> & DialectQuirks;

/** The peculiarities of whoever answers at a base URL. */
export function quirksAt(baseUrl: string): Quirks {
  return COMPATIBLE_PROVIDERS.find(({ hosts }) => hosts.some(hostIn(baseUrl))) ?? UNLISTED;
}

/** Whether an address is at a host of the table. */
export function hostIn(baseUrl: string): (host: string) => boolean {
  const { hostname } = new URL(baseUrl);
  return (host) => patternOf(host).test(hostname);
}

const patternOf = (host: string): RegExp =>
  new RegExp(
    `^(?:[^/]*\\.)?${host
      .split("*")
      .map((part) => RegExp.escape(part))
      .join("[a-z0-9-]+")}$`,
  );
