/** The formats a caller may speak. */
export type ClientDialect = "chat" | "responses" | "messages";

/** The formats a provider may speak. A new one does not compile until every table that must know them all has its line. */
export const PROVIDER_DIALECTS = ["chat", "responses", "messages", "gemini", "converse"] as const;
export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number];

/** The formats in which a provider may be asked for embeddings. A model has routes of these, or of those that generate; never of both. */
export const EMBEDDING_FORMATS = ["embeddings"] as const;
export type EmbeddingFormat = (typeof EMBEDDING_FORMATS)[number];

/** All that a route may be called in. */
export const ROUTE_FORMATS = [...PROVIDER_DIALECTS, ...EMBEDDING_FORMATS] as const;
export type RouteFormat = (typeof ROUTE_FORMATS)[number];

/** The formats of the requests that are charged for. */
export const CALL_FORMATS = ["chat", "responses", "messages", "embeddings"] as const satisfies (
  | ClientDialect
  | "embeddings"
)[];
export type CallFormat = (typeof CALL_FORMATS)[number];

const EMBEDS: ReadonlySet<string> = new Set(EMBEDDING_FORMATS);
export const isEmbedding = (format: string): format is EmbeddingFormat => EMBEDS.has(format);

const SPOKEN: ReadonlySet<string> = new Set(ROUTE_FORMATS);

/** Whether this version speaks it. The database may have been written by a later one, which speaks more. */
export const isSpoken = (dialect: string): boolean => SPOKEN.has(dialect);
