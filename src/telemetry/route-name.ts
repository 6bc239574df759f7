/** The routes requests are counted under. A path nobody serves is `unknown`, whatever it was. */
export const ROUTE_NAMES = [
  "models",
  "model",
  "chat_completions",
  "responses",
  "messages",
  "count_tokens",
  "usage",
  "description",
  "health",
  "unknown",
] as const;

export type RouteName = (typeof ROUTE_NAMES)[number];
