import type { Fault, FaultCode } from "../../core/fault.ts";
import { retryHeaders } from "./retry-advice.ts";
import type { RenderedFault } from "./shape.ts";

/** Errors of the OAuth endpoints. [RFC 6749 5.2, RFC 8628 3.5] */
export type OAuthError =
  | "invalid_request"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token";

const SHAPES: Partial<Record<FaultCode, { status: number; error: string }>> = {
  invalid_request: { status: 400, error: "invalid_request" },
  rate_limit_exceeded: { status: 429, error: "slow_down" },
  service_unavailable: { status: 503, error: "temporarily_unavailable" },
};
const OTHERS = { status: 500, error: "server_error" };

/** A fault at an OAuth endpoint. */
export function renderOAuth(fault: Fault): RenderedFault {
  const { status, error } = SHAPES[fault.code] ?? OTHERS;
  const body = JSON.stringify({ error, error_description: fault.message });
  return { status, headers: { ...retryHeaders(fault, status), "cache-control": "no-store" }, body };
}
