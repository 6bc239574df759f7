import type { JsonObject } from "../dialect.ts";
import type { Refusal } from "../ask/refusal.ts";

/** The names that Google has for statuses. */
const STATUSES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const TYPES = "type.googleapis.com/google.rpc";

export const overloaded = {
  error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" },
};

/** How long to wait is told in the details; there is no header for it. */
export function refuseLikeGoogle({ status, message, param, retryAfterSeconds }: Refusal): string {
  const details: JsonObject[] = [
    ...(status === 401
      ? [{ "@type": `${TYPES}.ErrorInfo`, reason: "CREDENTIALS_MISSING", domain: "googleapis.com" }]
      : []),
    ...(param === null
      ? []
      : [{ "@type": `${TYPES}.BadRequest`, fieldViolations: [{ field: param, description: message }] }]),
    ...(retryAfterSeconds === null ? [] : [{ "@type": `${TYPES}.RetryInfo`, retryDelay: `${retryAfterSeconds}s` }]),
  ];
  const known = STATUSES[status] ?? "UNKNOWN";
  return JSON.stringify({ error: { code: status, message, status: known, ...(details.length > 0 && { details }) } });
}
