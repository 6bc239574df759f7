import type { Fault, FaultCode } from "../../core/fault.ts";
import { retryHeaders } from "./retry-advice.ts";
import type { RenderedFault } from "./shape.ts";

type Shape = { status: number; type: string };

/** Adding a fault code does not compile until it has a row here. [interface decision 27] */
const SHAPES: Record<FaultCode, Shape> = {
  invalid_credentials: { status: 401, type: "authentication_error" },
  key_expired: { status: 403, type: "permission_error" },
  key_disabled: { status: 403, type: "permission_error" },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error" },
  balance_temporarily_reserved: { status: 429, type: "rate_limit_error" },
  limit_reached: { status: 429, type: "rate_limit_error" },
  insufficient_credit: { status: 402, type: "billing_error" },
  invalid_request: { status: 400, type: "invalid_request_error" },
  model_not_found: { status: 404, type: "not_found_error" },
  not_found: { status: 404, type: "not_found_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  upgrade_required: { status: 426, type: "invalid_request_error" },
  previous_response_not_found: { status: 400, type: "invalid_request_error" },
  websocket_connection_limit_reached: { status: 400, type: "invalid_request_error" },
  context_length_exceeded: { status: 400, type: "invalid_request_error" },
  idempotency_in_progress: { status: 409, type: "conflict_error" },
  idempotency_key_reuse: { status: 409, type: "conflict_error" },
  idempotency_replay_unavailable: { status: 409, type: "conflict_error" },
  idempotency_stream_interrupted: { status: 409, type: "conflict_error" },
  request_cancelled: { status: 403, type: "permission_error" },
  provider_unavailable: { status: 502, type: "api_error" },
  upstream_error: { status: 502, type: "api_error" },
  upstream_timeout: { status: 504, type: "timeout_error" },
  service_unavailable: { status: 503, type: "overloaded_error" },
  internal_error: { status: 500, type: "api_error" },
};

export function renderFormatB(fault: Fault, requestId: string): RenderedFault {
  const { status } = SHAPES[fault.code];
  return { status, headers: retryHeaders(fault, status), body: JSON.stringify(formatBBody(fault, requestId)) };
}

/** The envelope alone. Our own code rides along, because `error.type` is too coarse to act on. */
export function formatBBody({ code, message, hint }: Fault, requestId: string): object {
  const details = hint === null ? {} : { details: hint };
  return {
    type: "error",
    error: { type: SHAPES[code].type, message, code, ...details, request_id: requestId },
    request_id: requestId,
  };
}
