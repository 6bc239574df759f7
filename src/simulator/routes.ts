import { DIALECTS } from "./dialects.ts";
import { cloudRoute } from "./cloud/cloud-route.ts";
import { converseRoute } from "./converse/converse-route.ts";
import { geminiRoute } from "./gemini/gemini-route.ts";
import type { Route } from "./serve-call.ts";

/** Paths that say nothing of the call but which it is. */
const ROUTES: Record<string, Pick<Route, "dialect" | "operation">> = {
  "GET /v1/models": { dialect: DIALECTS.chat, operation: "models" },
  "POST /v1/chat/completions": { dialect: DIALECTS.chat, operation: "generate" },
  "POST /v1/embeddings": { dialect: DIALECTS.chat, operation: "embed" },
  "POST /v1/responses": { dialect: DIALECTS.responses, operation: "generate" },
  "POST /v1/messages": { dialect: DIALECTS.messages, operation: "generate" },
  "POST /v1/messages/count_tokens": { dialect: DIALECTS.messages, operation: "count" },
};

export function findRoute(method: string, path: string, query: string): Route | null {
  const route = ROUTES[`${method} ${path}`];
  if (route) return { path, ...route };
  const cloud = cloudRoute(method, path, query);
  if (cloud !== null) return { path, ...cloud };
  const asked = converseRoute(method, path);
  if (asked !== null) return { path, dialect: DIALECTS.converse, ...asked };
  const found = geminiRoute(method, path, query);
  return found === null ? null : { path, dialect: DIALECTS.gemini, ...found };
}
