/** The formats a caller may speak. */
export type ClientDialect = "chat" | "responses" | "messages";

/** The formats a provider may speak. A new one does not compile until every table that must know them all has its line. */
export const PROVIDER_DIALECTS = ["chat", "responses", "messages", "gemini"] as const;
export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number];
