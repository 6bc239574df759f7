import type { ProviderDialect } from "../core/dialect.ts";
import type { DialectQuirks } from "../wire/dialect-quirks.ts";

/** How a provider that speaks one of our formats differs from the others that do. */
export type CompatibleProvider = {
  name: string;
  /** Where each format it speaks is found, up to and without the operation's path. Capitals stand for what is yours. */
  baseUrls: Partial<Record<ProviderDialect, string>>;
  /** Hosts that are this provider's, or end with a dot and one of these. Empty: it runs where the operator runs it. */
  hosts: readonly string[];
  /** Where chat and responses expect the credential. Messages always has it in `x-api-key`. */
  credentialHeader: "authorization" | "api-key";
  /** Whether its chat streams keep the `STR` rules by themselves, so that a route may be declared conformant. */
  conformant: boolean;
  /** What else an operator should know. */
  remark: string;
} & DialectQuirks;

/** What is assumed of a provider that is not listed: what most of them have in common. */
const UNLISTED = {
  credentialHeader: "authorization",
  conformant: false,
  chat: { outputLimitField: "max_tokens", streamOptions: "accepted", callIds: "any" },
  responses: { leastOutputTokens: null },
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
    remark: "Reasoning models refuse `max_tokens`; the newer name is taken by all.",
  },
  {
    ...UNLISTED,
    name: "Anthropic",
    baseUrls: everywhere("https://api.anthropic.com/v1", "messages"),
    hosts: ["api.anthropic.com"],
    conformant: true,
    remark: "Speaks messages alone; a route there may be declared conformant.",
  },
  {
    ...UNLISTED,
    name: "Google Gemini",
    baseUrls: { gemini: "https://generativelanguage.googleapis.com/v1beta" },
    hosts: ["generativelanguage.googleapis.com"],
    remark: "Speaks a format of its own, by API key. `upstream_model` is written with or without `models/` in front.",
  },
  {
    ...UNLISTED,
    name: "Azure OpenAI",
    baseUrls: everywhere("https://RESOURCE.openai.azure.com/openai/v1", "chat", "responses"),
    hosts: ["openai.azure.com", "services.ai.azure.com"],
    credentialHeader: "api-key",
    chat: { ...UNLISTED.chat, outputLimitField: "max_completion_tokens" },
    responses: { leastOutputTokens: 16 },
    remark: "`upstream_model` is the name of the deployment. Streams begin with a chunk without choices.",
  },
  {
    ...UNLISTED,
    name: "Groq",
    baseUrls: everywhere("https://api.groq.com/openai/v1", "chat", "responses"),
    hosts: ["api.groq.com"],
    remark: "Refuses `logprobs`, `top_logprobs`, `logit_bias`, `messages[].name`, and `n` other than 1.",
  },
  {
    ...UNLISTED,
    name: "Mistral",
    baseUrls: everywhere("https://api.mistral.ai/v1", "chat"),
    hosts: ["api.mistral.ai"],
    chat: { ...UNLISTED.chat, streamOptions: "refused", callIds: "nine" },
    remark:
      "Answers 422 to any field it does not know, `max_completion_tokens` among them. Usage is in the last chunk.",
  },
  {
    ...UNLISTED,
    name: "DeepSeek",
    baseUrls: { chat: "https://api.deepseek.com", messages: "https://api.deepseek.com/anthropic/v1" },
    hosts: ["api.deepseek.com"],
    remark: "Each format has a base URL of its own, so it is two providers in the catalogue.",
  },
  {
    ...UNLISTED,
    name: "xAI",
    baseUrls: everywhere("https://api.x.ai/v1", "chat", "responses"),
    hosts: ["api.x.ai"],
    remark: "Its messages endpoint is declared obsolete; do not route there.",
  },
  {
    ...UNLISTED,
    name: "Together",
    baseUrls: everywhere("https://api.together.ai/v1", "chat"),
    hosts: ["api.together.ai", "api.together.xyz"],
    remark: "`upstream_model` has its maker's name in front, `openai/gpt-oss-20b`.",
  },
  {
    ...UNLISTED,
    name: "Moonshot",
    baseUrls: everywhere("https://api.moonshot.ai/v1", "chat", "responses"),
    hosts: ["api.moonshot.ai", "api.moonshot.cn"],
    remark: "`api.moonshot.cn` is its address in China. Chunks lack `object`; usage is in the last one with a choice.",
  },
  {
    ...UNLISTED,
    name: "Fireworks",
    baseUrls: everywhere("https://api.fireworks.ai/inference/v1", "chat", "responses", "messages"),
    hosts: ["api.fireworks.ai"],
    remark:
      "`upstream_model` is a resource name, `accounts/fireworks/models/…`. Usage is in the last chunk, asked for or not.",
  },
  {
    ...UNLISTED,
    name: "OpenRouter",
    baseUrls: everywhere("https://openrouter.ai/api/v1", "chat"),
    hosts: ["openrouter.ai"],
    remark:
      "Sends comments while it waits. Fails within a stream by a chunk with an `error` and the finish reason `error`.",
  },
  {
    ...UNLISTED,
    name: "vLLM",
    baseUrls: everywhere("http://127.0.0.1:8000/v1", "chat", "responses", "messages"),
    hosts: [],
    remark:
      "Wants a credential only when it was started with `--api-key`, and then as `authorization`: not for messages.",
  },
  {
    ...UNLISTED,
    name: "Ollama",
    baseUrls: everywhere("http://127.0.0.1:11434/v1", "chat", "responses", "messages"),
    hosts: [],
    remark:
      "Wants no credential. Knows the limit of output only as `max_tokens`. The first call loads the model: give it a long first-byte timeout.",
  },
  {
    ...UNLISTED,
    name: "LM Studio",
    baseUrls: everywhere("http://127.0.0.1:1234/v1", "chat", "responses", "messages"),
    hosts: [],
    remark: "Wants a credential only when told to. The first call may load the model.",
  },
];

export type Quirks = Pick<CompatibleProvider, "credentialHeader"> & DialectQuirks;

/** The peculiarities of whoever answers at a base URL. */
export function quirksAt(baseUrl: string): Quirks {
  const { hostname } = new URL(baseUrl);
  const isAt = (host: string): boolean => hostname === host || hostname.endsWith(`.${host}`);
  return COMPATIBLE_PROVIDERS.find(({ hosts }) => hosts.some(isAt)) ?? UNLISTED;
}
