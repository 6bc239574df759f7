import type { Named } from "../dialect.ts";

type Found = { operation: "generate" | "count" | "models"; named?: Named };

/** The name of the model stands in the path, and whether the answer is streamed is a verb behind it. */
const MODEL = /^\/v1(?:beta)?\/models\/([^/:]+)(?::(\w+))?$/;

/** What a call of this dialect asks for; null for paths of others. */
export function geminiRoute(method: string, path: string, query: string): Found | null {
  if (method === "GET" && path === "/v1beta/models") return { operation: "models" };
  const match = MODEL.exec(path);
  const model = match === null ? null : decoded(match[1] ?? "");
  if (match === null || model === null) return null;
  switch (`${method} ${match[2] ?? ""}`) {
    case "GET ":
      if (!path.startsWith("/v1beta/")) return null;
      return { operation: "models", named: { model, streamed: false } };
    case "POST generateContent":
      return { operation: "generate", named: { model, streamed: false } };
    case "POST streamGenerateContent":
      // Without `alt=sse` Google streams one long JSON array, which nothing here reads.
      return new URLSearchParams(query).get("alt") === "sse"
        ? { operation: "generate", named: { model, streamed: true } }
        : null;
    case "POST countTokens":
      return { operation: "count", named: { model, streamed: false } };
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
