/** The formats a caller may speak. */
export type ClientDialect = "chat" | "responses" | "messages";

/** The formats a provider may speak. */
export const PROVIDER_DIALECTS = ["chat", "responses", "messages", "gemini", "bedrock"] as const;
export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number];
