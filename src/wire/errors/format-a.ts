import type { Fault, FaultCode } from "../../core/fault.ts";
import { retryHeaders } from "./retry-advice.ts";
import type { RenderedFault } from "./shape.ts";

/** `code` stands where the format says another word than ours. */
type Shape = { status: number; type: string; code?: FaultCode };

/** Adding a fault code does not compile until it has a row here. [spec 7.2] */
const SHAPES: Record<FaultCode, Shape> = {
  invalid_credentials: { status: 401, type: "authentication_error" },
  key_expired: { status: 403, type: "permission_error" },
  key_disabled: { status: 403, type: "permission_error" },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error" },
  balance_temporarily_reserved: { status: 429, type: "rate_limit_error" },
  limit_reached: { status: 429, type: "quota_error" },
  insufficient_credit: { status: 402, type: "quota_error" },
  invalid_request: { status: 400, type: "invalid_request_error" },
  model_not_found: { status: 404, type: "invalid_request_error" },
  not_found: { status: 404, type: "invalid_request_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  upgrade_required: { status: 426, type: "invalid_request_error" },
  previous_response_not_found: { status: 400, type: "invalid_request_error" },
  websocket_connection_limit_reached: { status: 400, type: "invalid_request_error" },
  context_length_exceeded: { status: 400, type: "invalid_request_error" },
  idempotency_in_progress: { status: 409, type: "idempotency_error" },
  idempotency_key_reuse: { status: 409, type: "idempotency_error" },
  idempotency_replay_unavailable: { status: 409, type: "idempotency_error" },
  idempotency_stream_interrupted: { status: 409, type: "idempotency_error" },
  request_cancelled: { status: 403, type: "permission_error" },
  provider_unavailable: { status: 502, type: "api_error" },
  upstream_error: { status: 502, type: "api_error" },
  // This format lists no 504: a provider that took too long is an upstream error here. [interface decision 26]
  upstream_timeout: { status: 502, type: "api_error", code: "upstream_error" },
  service_unavailable: { status: 503, type: "api_error" },
  internal_error: { status: 500, type: "api_error" },
};

export function renderFormatA(fault: Fault, requestId: string): RenderedFault {
  const { status } = SHAPES[fault.code];
  return { status, headers: retryHeaders(fault, status), body: JSON.stringify(formatABody(fault, requestId)) };
}

/** The envelope alone, as it also stands in a stream that fails after content has begun. */
export function formatABody(fault: Fault, requestId: string): object {
  const { type, code } = SHAPES[fault.code];
  return {
    error: { message: fault.message, type, code: code ?? fault.code, param: fault.param, request_id: requestId },
  };
}
