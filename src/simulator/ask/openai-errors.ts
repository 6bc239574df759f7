import type { Refusal } from "./refusal.ts";

const TYPES: Record<number, { type: string; code: string | null }> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};

export const serverFailure = {
  error: {
    message: "The server had an error while processing your request. Sorry about that!",
    type: "server_error",
    code: "server_error",
    param: null,
  },
};

/** The envelope chat completions and responses share. */
export function refuseLikeOpenai(refusal: Refusal): string {
  const { status, message, param } = refusal;
  const known = TYPES[status] ?? { type: status >= 500 ? "server_error" : "invalid_request_error", code: null };
  // What is wrong with a field has no code but its own.
  const code = refusal.code ?? (param === null ? known.code : null);
  return JSON.stringify({ error: { message, type: known.type, code, param } });
}
