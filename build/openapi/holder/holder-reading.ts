import type { FaultCode } from "../../../src/core/fault.ts";

/** Every error that a read of the key holder's API can return. */
export const HOLDER_CODES: readonly FaultCode[] = [
  "invalid_credentials",
  "key_expired",
  "key_disabled",
  "invalid_request",
  "rate_limit_exceeded",
  "service_unavailable",
  "internal_error",
];

export const HOLDER_ADDED = {
  isAddition: true,
  isForEveryMode: true,
  tag: "Your key",
  format: "A",
  stream: null,
} as const;

export const HOLDER_READING = {
  ...HOLDER_ADDED,
  method: "get",
  credential: "session_or_key",
  request: null,
  codes: HOLDER_CODES,
} as const;
