/** The formats a caller may speak. */
export type ClientDialect = "chat" | "responses" | "messages";

/** The formats that routes may be given. Those of providers below that are not here have no translation yet. */
export const SPOKEN_DIALECTS = ["chat", "responses", "messages"] as const;
export type SpokenDialect = (typeof SPOKEN_DIALECTS)[number];

/** The formats a provider may speak. */
export const PROVIDER_DIALECTS = ["chat", "responses", "messages", "gemini", "bedrock"] as const;
export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number];
