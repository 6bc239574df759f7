import type { Named } from "../dialect.ts";

/** The name of the model is one segment of the path, and the operation the next. */
const MODEL = /^(?:\/v1)?\/model\/([^/]+)\/converse(-stream)?$/;

/** What a call of this dialect asks for; null for paths of others. */
export function converseRoute(method: string, path: string): { operation: "generate"; named: Named } | null {
  const match = method === "POST" ? MODEL.exec(path) : null;
  const model = match === null ? null : decoded(match[1] ?? "");
  if (match === null || model === null) return null;
  return { operation: "generate", named: { model, streamed: match[2] !== undefined } };
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
