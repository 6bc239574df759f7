import type { BudgetPeriod } from "./money/budget-period.ts";
import { fieldProblem } from "./request/parsed-texts.ts";

/**
 * Every refusal a caller can be told. The list knows nothing of HTTP; each wire format owns a table with a row per code
 * (`wire/errors/`), so a new code does not compile until both formats can say it.
 */
export const FAULT_CODES = [
  "invalid_credentials",
  "key_expired",
  "key_disabled",
  "rate_limit_exceeded",
  "balance_temporarily_reserved",
  "limit_reached",
  "insufficient_credit",
  "invalid_request",
  "model_not_found",
  "not_found",
  "method_not_allowed",
  "upgrade_required",
  "previous_response_not_found",
  "websocket_connection_limit_reached",
  "context_length_exceeded",
  "idempotency_in_progress",
  "idempotency_key_reuse",
  "idempotency_replay_unavailable",
  "idempotency_stream_interrupted",
  "request_cancelled",
  "provider_unavailable",
  "upstream_error",
  "upstream_timeout",
  "service_unavailable",
  "internal_error",
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

type FaultOptions = {
  /** Path of the offending field, such as `messages.1.role`. */
  param?: string;
  retryAfterSeconds?: number;
  /** When what is used up is there again, as an ISO 8601 instant. */
  renewsAt?: string;
  /** How often that happens. */
  renewsEvery?: BudgetPeriod;
  /** What the client's own library reads of it to go on by itself, in a format that has a place for it. */
  hint?: Readonly<Record<string, unknown>>;
  /** What records keep instead of the message, which repeats somebody else's words; absent: the message. */
  kept?: string;
  /** For the log only. What the caller reads and what we read never share a string. */
  detail?: Record<string, unknown>;
  cause?: unknown;
};

/** A refusal. `message` is written for the caller; `detail` and `cause` are written for us. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  readonly param: string | null;
  readonly retryAfterSeconds: number | null;
  readonly renewsAt: string | null;
  readonly renewsEvery: BudgetPeriod;
  readonly hint: Readonly<Record<string, unknown>> | null;
  readonly kept: string | null;
  readonly detail: Record<string, unknown>;
  readonly #options: FaultOptions;

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.renewsAt = options.renewsAt ?? null;
    this.renewsEvery = options.renewsEvery ?? "none";
    this.hint = options.hint ?? null;
    this.kept = options.kept ?? null;
    this.detail = options.detail ?? {};
    this.#options = options;
  }

  /** The same refusal, to be tried again after so long at most. */
  waitingAtMost(seconds: number): Fault {
    const retryAfterSeconds = Math.min(seconds, this.retryAfterSeconds ?? seconds);
    return new Fault(this.code, this.message, { ...this.#options, retryAfterSeconds });
  }
}

/** A request with one wrong field: the message begins with its path, and `param` holds it. */
export const fieldFault = (path: string, problem: string, options: Pick<FaultOptions, "hint"> = {}): Fault =>
  new Fault("invalid_request", fieldProblem(path, problem), { ...options, param: path });
