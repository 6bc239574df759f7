import type { ProviderDialect } from "../../core/request/dialect.ts";

/** How a vendor of LiteLLM is reached here. */
export type Vendor = {
  /** The preset with its address and the variable of its credential. */
  preset: string;
  format: ProviderDialect;
  /** What its address ends with here and not there. */
  path?: string;
};

/** By the part of a model's name before the first slash. */
export const VENDORS: Readonly<Record<string, Vendor>> = {
  openai: { preset: "openai", format: "chat" },
  custom_openai: { preset: "openai", format: "chat" },
  anthropic: { preset: "anthropic", format: "messages", path: "/v1" },
  gemini: { preset: "gemini", format: "gemini" },
  cerebras: { preset: "cerebras", format: "chat" },
  deepseek: { preset: "deepseek", format: "chat" },
  fireworks_ai: { preset: "fireworks", format: "chat" },
  groq: { preset: "groq", format: "chat" },
  mistral: { preset: "mistral", format: "chat" },
  moonshot: { preset: "moonshot", format: "chat" },
  ollama: { preset: "ollama", format: "chat", path: "/v1" },
  ollama_chat: { preset: "ollama", format: "chat", path: "/v1" },
  openrouter: { preset: "openrouter", format: "chat" },
  together_ai: { preset: "together", format: "chat" },
  hosted_vllm: { preset: "vllm", format: "chat" },
  xai: { preset: "xai", format: "chat" },
};

const BARE: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt-|o\d)/, "openai"],
  [/^claude-/, "anthropic"],
];

/** The vendor and the vendor's own name of a model; null when no preset reaches it. */
export function vendorOf(model: string): { vendor: Vendor; upstreamModel: string } | null {
  const [prefix = "", ...rest] = model.split("/");
  const named = rest.length === 0 ? BARE.find(([pattern]) => pattern.test(model))?.[1] : prefix;
  const vendor = named !== undefined && Object.hasOwn(VENDORS, named) ? VENDORS[named] : undefined;
  return vendor === undefined ? null : { vendor, upstreamModel: rest.length === 0 ? model : rest.join("/") };
}
