import { expect } from "vitest";
import { type Reply, requestIdOf } from "./knock.ts";
import type { AnyOperation } from "./operations.ts";

type Expected = {
  status: number;
  code: string;
  /** Where a field is to blame. */
  param?: string | null;
  /** What the caller is told about trying again. */
  retry?: "never" | "advised" | "unsaid";
};

/** `error.type` by code in Format A, which the specification lists. [spec 7.2] */
const TYPES_A: Record<string, string> = {
  invalid_credentials: "authentication_error",
  key_expired: "permission_error",
  key_disabled: "permission_error",
  rate_limit_exceeded: "rate_limit_error",
  balance_temporarily_reserved: "rate_limit_error",
  limit_reached: "quota_error",
  insufficient_credit: "quota_error",
  provider_unavailable: "api_error",
  upstream_error: "api_error",
  service_unavailable: "api_error",
  idempotency_in_progress: "idempotency_error",
  idempotency_key_reuse: "idempotency_error",
  idempotency_replay_unavailable: "idempotency_error",
  idempotency_stream_interrupted: "idempotency_error",
  request_cancelled: "permission_error",
};

/** `error.type` by status in Format B. [interface decision 27] */
const TYPES_B: Record<number, string> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "overloaded_error",
  504: "timeout_error",
};

/** What every refusal has in common: the envelope of its format, the ids, and the advice about trying again. */
export function expectRefused({ format }: AnyOperation, reply: Reply, expected: Expected): string {
  const { status, code, param = null, retry = "never" } = expected;
  const id = requestIdOf(reply);
  const message = expect.stringMatching(/\S/) as string;
  const body = JSON.parse(reply.text) as { error: { message: string } };

  expect({ status: reply.status, body }).toEqual({
    status,
    body:
      format === "A"
        ? { error: { message, type: TYPES_A[code] ?? "invalid_request_error", code, param, request_id: id } }
        : {
            type: "error",
            error: { message, type: TYPES_B[status] ?? "invalid_request_error", code, request_id: id },
            request_id: id,
          },
  });
  if (format === "B" && param !== null) expect(body.error.message.startsWith(`${param}: `)).toBe(true);
  expect(reply.headers["content-type"]).toBe("application/json");
  expect(reply.headers["x-should-retry"]).toBe({ never: "false", advised: "true", unsaid: undefined }[retry]);
  if (status === 429 || status === 503) expectWait(reply, { least: 1, most: 86_400 });
  return body.error.message;
}

const DAY_SECONDS = 86_400;
/** For the way of an answer, and for clocks that differ. */
const SLACK_SECONDS = 30;

/** `Retry-After` is the time until then, or a day. */
export function expectWaitUntil(reply: Reply, atMs: number): void {
  const seconds = (atMs - Date.now()) / 1_000;
  const most = Math.max(1, Math.min(DAY_SECONDS, Math.ceil(seconds) + SLACK_SECONDS));
  expectWait(reply, { least: Math.max(1, Math.min(DAY_SECONDS, seconds - SLACK_SECONDS)), most });
}

/** `Retry-After` is a whole number of seconds within bounds; returns it. */
export function expectWait(reply: Reply, { least, most }: { least: number; most: number }): number {
  expect(reply.headers["retry-after"]).toMatch(/^\d+$/);
  const seconds = Number(reply.headers["retry-after"]);
  expect(seconds).toBeGreaterThanOrEqual(least);
  expect(seconds).toBeLessThanOrEqual(most);
  return seconds;
}
