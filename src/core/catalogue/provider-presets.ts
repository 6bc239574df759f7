import type { ProviderDialect } from "../request/dialect.ts";

/** Where a well-known provider is found, and the format of most of its models. */
type Preset = { url: string; credential: string; dialect: ProviderDialect };

/** Addresses up to and without the operation's path, and the variable in which people keep the key. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  anthropic: { url: "https://api.anthropic.com/v1", credential: "env:ANTHROPIC_API_KEY", dialect: "messages" },
  cerebras: { url: "https://api.cerebras.ai/v1", credential: "env:CEREBRAS_API_KEY", dialect: "chat" },
  deepseek: { url: "https://api.deepseek.com", credential: "env:DEEPSEEK_API_KEY", dialect: "chat" },
  fireworks: { url: "https://api.fireworks.ai/inference/v1", credential: "env:FIREWORKS_API_KEY", dialect: "chat" },
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
  vllm: { url: "http://127.0.0.1:8000/v1", credential: "none", dialect: "chat" },
  xai: { url: "https://api.x.ai/v1", credential: "env:XAI_API_KEY", dialect: "chat" },
};
