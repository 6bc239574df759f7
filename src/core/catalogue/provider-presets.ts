import type { ProviderDialect } from "../request/dialect.ts";

/** Where a well-known provider is found, and the format of most of its models. */
type Preset = { url: string; credential: string; dialect: ProviderDialect };

/** Words in addresses that stand for what is yours, as a label of the host. */
export const PLACEHOLDERS = ["REGION", "RESOURCE"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** Addresses up to and without the operation's path, and the variable in which people keep the key. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  anthropic: { url: "https://api.anthropic.com/v1", credential: "env:ANTHROPIC_API_KEY", dialect: "messages" },
  azure: {
    url: "https://RESOURCE.openai.azure.com/openai/v1",
    credential: "env:AZURE_OPENAI_API_KEY",
    dialect: "chat",
  },
  bedrock: {
    url: "https://bedrock-runtime.REGION.amazonaws.com/openai/v1",
    credential: "env:AWS_BEARER_TOKEN_BEDROCK",
    dialect: "chat",
  },
  "bedrock-claude": {
    url: "https://bedrock-mantle.REGION.api.aws/anthropic/v1",
    credential: "env:AWS_BEARER_TOKEN_BEDROCK",
    dialect: "messages",
  },
  "bedrock-mantle": {
    url: "https://bedrock-mantle.REGION.api.aws/openai/v1",
    credential: "env:AWS_BEARER_TOKEN_BEDROCK",
    dialect: "chat",
  },
  cerebras: { url: "https://api.cerebras.ai/v1", credential: "env:CEREBRAS_API_KEY", dialect: "chat" },
  deepseek: { url: "https://api.deepseek.com", credential: "env:DEEPSEEK_API_KEY", dialect: "chat" },
  fireworks: { url: "https://api.fireworks.ai/inference/v1", credential: "env:FIREWORKS_API_KEY", dialect: "chat" },
  foundry: {
    url: "https://RESOURCE.services.ai.azure.com/anthropic/v1",
    credential: "env:ANTHROPIC_FOUNDRY_API_KEY",
    dialect: "messages",
  },
  gemini: {
    url: "https://generativelanguage.googleapis.com/v1beta",
    credential: "env:GEMINI_API_KEY",
    dialect: "gemini",
  },
  groq: { url: "https://api.groq.com/openai/v1", credential: "env:GROQ_API_KEY", dialect: "chat" },
  mistral: { url: "https://api.mistral.ai/v1", credential: "env:MISTRAL_API_KEY", dialect: "chat" },
  moonshot: { url: "https://api.moonshot.ai/v1", credential: "env:MOONSHOT_API_KEY", dialect: "chat" },
  ollama: { url: "http://127.0.0.1:11434/v1", credential: "none", dialect: "chat" },
  openai: { url: "https://api.openai.com/v1", credential: "env:OPENAI_API_KEY", dialect: "chat" },
  openrouter: { url: "https://openrouter.ai/api/v1", credential: "env:OPENROUTER_API_KEY", dialect: "chat" },
  together: { url: "https://api.together.ai/v1", credential: "env:TOGETHER_API_KEY", dialect: "chat" },
  "vertex-express": {
    url: "https://aiplatform.googleapis.com/v1beta1/publishers/google",
    credential: "env:GOOGLE_API_KEY",
    dialect: "gemini",
  },
  vllm: { url: "http://127.0.0.1:8000/v1", credential: "none", dialect: "chat" },
  xai: { url: "https://api.x.ai/v1", credential: "env:XAI_API_KEY", dialect: "chat" },
};

const placeholderIn = new RegExp(`\\b(${PLACEHOLDERS.join("|")})\\b`);

/** The word in an address that stands for what is yours; null: there is none. */
export const placeholderOf = (url: string): Placeholder | null =>
  (placeholderIn.exec(url)?.[1] as Placeholder | undefined) ?? null;

/** The preset whose address this is, whatever stands in place of its placeholder. */
export const presetAt = (baseUrl: string): Preset | null =>
  Object.values(PRESETS).find(({ url }) => {
    const [before = "", after] = url.split(placeholderIn).filter((part) => !placeholderIn.test(part));
    if (after === undefined) return baseUrl === url;
    const isFramed = baseUrl.startsWith(before) && baseUrl.endsWith(after);
    return isFramed && /^[\w-]+$/.test(baseUrl.slice(before.length, baseUrl.length - after.length));
  }) ?? null;
