import { chat } from "../chat/chat.ts";
import type { Dialect, Named } from "../dialect.ts";
import { geminiRoute } from "../gemini/gemini-route.ts";
import { messages } from "../messages/messages.ts";
import type { Operation } from "../serve-call.ts";
import { azureChat, azureResponses } from "./azure.ts";
import { bedrockClaude } from "./bedrock-claude.ts";
import { vertexClaude, vertexGemini } from "./vertex-claude.ts";

type Found = { dialect: Dialect; operation: Operation; named?: Named };

const LOCATION = /^\/v1(?:beta1)?\/projects\/[^/]+\/locations\/[^/]+(\/.*)$/;
const GOOGLE = /^\/publishers\/google(\/models\/.*)$/;
const CLAUDE = /^\/publishers\/anthropic\/models\/([^/:]+):(rawPredict|streamRawPredict)$/;
const INVOKE = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|count-tokens)$/;
const DEPLOYMENT = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/;
const VERSION = /^\d{4}-\d{2}-\d{2}(?:-preview)?$/;

/** Addresses of clouds, below the simulator's own. Each takes what its cloud takes. */
export function cloudRoute(method: string, path: string, query: string): Found | null {
  const found = method === "POST" ? (bedrockRoute(path) ?? azureRoute(path, query)) : null;
  if (found !== null) return found;
  const below = LOCATION.exec(path)?.[1];
  return below === undefined ? null : vertexRoute(method, below, query);
}

function vertexRoute(method: string, path: string, query: string): Found | null {
  const gemini = GOOGLE.exec(path)?.[1];
  if (gemini !== undefined) {
    const found = geminiRoute(method, `/v1beta${gemini}`, query);
    return found && { dialect: vertexGemini, ...found };
  }
  if (method !== "POST") return null;
  if (path === "/endpoints/openapi/chat/completions") return { dialect: chat, operation: "generate" };
  const [, segment = "", verb] = CLAUDE.exec(path) ?? [];
  const model = decoded(segment);
  if (verb === undefined || model === null) return null;
  if (model === "count-tokens") return { dialect: vertexClaude, operation: "count" };
  return { dialect: vertexClaude, operation: "generate", named: { model, streamed: verb === "streamRawPredict" } };
}

function bedrockRoute(path: string): Found | null {
  const [, segment = "", operation] = INVOKE.exec(path) ?? [];
  const model = decoded(segment);
  if (operation === undefined || model === null) return null;
  const named = { model, streamed: operation === "invoke-with-response-stream" };
  return { dialect: bedrockClaude, operation: operation === "count-tokens" ? "count" : "generate", named };
}

function azureRoute(path: string, query: string): Found | null {
  const hasVersion = VERSION.test(new URLSearchParams(query).get("api-version") ?? "");
  const model = decoded(DEPLOYMENT.exec(path)?.[1] ?? "");
  if (model && hasVersion) return { dialect: azureChat, operation: "generate", named: { model, streamed: false } };
  switch (path) {
    case "/openai/v1/chat/completions":
      return { dialect: azureChat, operation: "generate" };
    case "/openai/v1/responses":
      return { dialect: azureResponses, operation: "generate" };
    case "/openai/responses":
      return hasVersion ? { dialect: azureResponses, operation: "generate" } : null;
    case "/anthropic/v1/messages":
      return { dialect: messages, operation: "generate" };
    case "/anthropic/v1/messages/count_tokens":
      return { dialect: messages, operation: "count" };
    default:
      return null;
  }
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
