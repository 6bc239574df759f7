/** The routes requests are counted under. A path nobody serves is `unknown`, whatever it was. */
export const ROUTE_NAMES = [
  "models",
  "model",
  "chat_completions",
  "responses",
  "responses_socket",
  "messages",
  "embeddings",
  "count_tokens",
  "usage",
  "holder",
  "sign_in",
  "client",
  "description",
  "console",
  "health",
  "unknown",
] as const;

/** The path of each route as it is written in documents; null where there is none or it varies. */
export const ROUTE_PATHS: Readonly<Record<RouteName, string | null>> = {
  models: "/v1/models",
  model: "/v1/models/{id}",
  chat_completions: "/v1/chat/completions",
  responses: "/v1/responses",
  responses_socket: "/v1/responses",
  messages: "/v1/messages",
  embeddings: "/v1/embeddings",
  count_tokens: "/v1/messages/count_tokens",
  usage: "/v1/usage",
  holder: "/me",
  sign_in: "/oauth/token",
  client: "/managed/settings",
  description: "/docs",
  console: "/console",
  health: null,
  unknown: null,
};

export type RouteName = (typeof ROUTE_NAMES)[number];
