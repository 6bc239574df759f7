import type { ProviderDialect } from "../request/dialect.ts";

/** Where a well-known provider is found, and the format of most of its models. */
type Preset = {
  url: string;
  credential: string;
  dialect: ProviderDialect;
  /** Where the address does not say it. */
  platform?: string;
};

/** Words in addresses that stand for what is yours: a label of the host, or a part of the path. */
export const PLACEHOLDERS = ["REGION", "RESOURCE", "PROJECT"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** Addresses up to and without the operation's path, and the variable in which people keep the key. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  anthropic: { url: "https://api.anthropic.com/v1", credential: "env:ANTHROPIC_API_KEY", dialect: "messages" },
  azure: {
    url: "https://RESOURCE.openai.azure.com/openai/v1",
    credential: "env:AZURE_OPENAI_API_KEY",
    dialect: "chat",
  },
  "azure-deployments": {
    url: "https://RESOURCE.openai.azure.com/openai",
    credential: "env:AZURE_OPENAI_API_KEY",
    dialect: "chat",
    platform: "azure:2024-10-21",
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
  "bedrock-converse": {
    url: "https://bedrock-runtime.REGION.amazonaws.com",
    credential: "env:AWS_BEARER_TOKEN_BEDROCK",
    dialect: "converse",
  },
  "bedrock-invoke": {
    url: "https://bedrock-runtime.REGION.amazonaws.com",
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
  vertex: {
    url: "https://REGION-aiplatform.googleapis.com/v1beta1/projects/PROJECT/locations/REGION",
    credential: "google",
    dialect: "gemini",
  },
  "vertex-claude": {
    url: "https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION",
    credential: "google",
    dialect: "messages",
  },
  "vertex-express": {
    url: "https://aiplatform.googleapis.com/v1beta1/publishers/google",
    credential: "env:GOOGLE_API_KEY",
    dialect: "gemini",
  },
  "vertex-openai": {
    url: "https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION/endpoints/openapi",
    credential: "google",
    dialect: "chat",
  },
  vllm: { url: "http://127.0.0.1:8000/v1", credential: "none", dialect: "chat" },
  xai: { url: "https://api.x.ai/v1", credential: "env:XAI_API_KEY", dialect: "chat" },
};

const PLACEHOLDER = new RegExp(`\\b(${PLACEHOLDERS.join("|")})\\b`, "g");

/** The words in an address that stand for what is yours, each once. */
export const placeholdersOf = (url: string): readonly Placeholder[] => [
  ...new Set(url.match(PLACEHOLDER) as Placeholder[] | null),
];

/** The first of them; null: there is none. */
export const placeholderOf = (url: string): Placeholder | null => placeholdersOf(url)[0] ?? null;

/** An address with what is yours in place of these words. */
export const completeUrl = (url: string, yours: Partial<Record<Placeholder, string | undefined>>): string =>
  withVertexHost(url.replace(PLACEHOLDER, (word) => yours[word as Placeholder] ?? word));

/** Google's locations that are no single region have hosts of their own. */
const withVertexHost = (url: string): string =>
  url
    .replace("//global-aiplatform.", "//aiplatform.")
    .replace(/\/\/(us|eu)-aiplatform\.googleapis/, "//aiplatform.$1.rep.googleapis");

const YOURS = "[A-Za-z0-9_-]+";

/**
 * The preset whose address this is, whatever stands in place of its placeholders. Of two at one address the first: Converse serves all
 * models of Bedrock, InvokeModel those of Claude.
 */
export const presetAt = (baseUrl: string): Preset | null =>
  Object.values(PRESETS).find(({ url }) => patternOf(url).test(baseUrl)) ?? null;

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split(PLACEHOLDER)
      .map((part) => (isPlaceholder(part) ? YOURS : RegExp.escape(part)))
      .join("")
      .replace(`${YOURS}${RegExp.escape("-aiplatform")}`, `(?:${YOURS}-)?aiplatform(?:\\.(?:us|eu)\\.rep)?`)}$`,
  );

const isPlaceholder = (part: string): boolean => (PLACEHOLDERS as readonly string[]).includes(part);
