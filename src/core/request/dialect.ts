/** The formats a caller may speak. */
export type ClientDialect = "chat" | "responses" | "messages";

/** The formats a provider may speak. A new one does not compile until every table that must know them all has its line. */
export const PROVIDER_DIALECTS = ["chat", "responses", "messages", "gemini", "converse"] as const;
export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number];

const SPOKEN: ReadonlySet<string> = new Set(PROVIDER_DIALECTS);

/** Whether this version speaks it. The database may have been written by a later one, which speaks more. */
export const isSpoken = (dialect: string): boolean => SPOKEN.has(dialect);
