import type { Fault, FaultCode } from "../../core/fault.ts";

/**
 * Whether clients should retry. Official SDKs obey `x-should-retry`; without it they retry every 409, 429 and 5xx.
 * `unsaid` leaves them to their own backoff.
 */
export const RETRY_ADVICE: Record<FaultCode, "retry" | "stop" | "unsaid"> = {
  invalid_credentials: "stop",
  key_expired: "stop",
  key_disabled: "stop",
  rate_limit_exceeded: "retry",
  balance_temporarily_reserved: "retry",
  limit_reached: "stop",
  insufficient_credit: "stop",
  invalid_request: "stop",
  model_not_found: "stop",
  not_found: "stop",
  method_not_allowed: "stop",
  upgrade_required: "stop",
  previous_response_not_found: "stop",
  websocket_connection_limit_reached: "stop",
  context_length_exceeded: "stop",
  idempotency_in_progress: "retry",
  idempotency_key_reuse: "stop",
  idempotency_replay_unavailable: "stop",
  idempotency_stream_interrupted: "stop",
  request_cancelled: "stop",
  provider_unavailable: "unsaid",
  upstream_error: "unsaid",
  upstream_timeout: "unsaid",
  service_unavailable: "unsaid",
  internal_error: "unsaid",
};

const DAY_SECONDS = 86_400;

/** The value of `Retry-After`, wherever we write it: some SDKs hammer at 0, and overflow beyond 24 days. [HDR-5] */
export const retryAfter = (seconds: number): string =>
  String(Math.min(DAY_SECONDS, Math.max(1, Math.ceil(seconds) || 1)));

export function retryHeaders(fault: Fault, status: number): Record<string, string> {
  const headers: Record<string, string> = {};
  const advice = RETRY_ADVICE[fault.code];
  if (advice !== "unsaid") headers["x-should-retry"] = advice === "retry" ? "true" : "false";
  const mustSay = status === 429 || status === 503 || fault.code === "idempotency_in_progress";
  if (mustSay || fault.retryAfterSeconds !== null) {
    headers["retry-after"] = retryAfter(fault.retryAfterSeconds ?? 1);
  }
  if (fault.renewsAt !== null) headers["x-tollgate-renews-at"] = fault.renewsAt;
  return headers;
}
