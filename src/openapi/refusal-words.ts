import type { FaultCode } from "../core/fault.ts";

type Words = {
  /** When a caller is told this. */
  condition: string;
  /** What it may read. */
  example: string;
  param?: string;
  /** When what is used up in it is there again. */
  renewsAt?: string;
};

/** Adding a fault code does not compile until it is explained here. [spec 7.2] */
export const REFUSAL_WORDS: Record<FaultCode, Words> = {
  invalid_credentials: {
    condition: "The key is missing, malformed, unknown, revoked or suspended, or belongs to the other origin.",
    example: "This API key is not valid.",
  },
  key_expired: { condition: "The key has expired.", example: "This API key expired on 2026-06-30T00:00:00.000Z." },
  key_disabled: {
    condition: "The key is disabled, or may not use this model.",
    example: "This API key is disabled. Its operator can enable it again.",
  },
  rate_limit_exceeded: {
    condition: "The key has made its requests of this minute. Wait as long as `Retry-After` says.",
    example: "Rate limit reached: 60 requests per minute. Please try again in 2s.",
  },
  balance_temporarily_reserved: {
    condition: "Requests in flight reserve what this one needs. Retry once they have ended.",
    example:
      "This request needs at least 0.02 credits. The key has 0.03 credits, of which 0.02 credits is reserved by requests in progress and 0.01 credits is available. Try again when they finish, or set max_tokens to 512 or less.",
  },
  limit_reached: {
    condition:
      "The token budget of the period is used up. It helps to wait for the next one, which `x-tollgate-renews-at` names, not to retry.",
    example: "The token budget of this key is used up. It renews at 2026-12-01T00:00:00.000Z.",
    renewsAt: "2026-12-01T00:00:00.000Z",
  },
  insufficient_credit: {
    condition: "The key has less credit, or fewer tokens, than the request needs to start.",
    example:
      "Not enough credit: this request needs at least 0.02 credits and the key has 0.01 credits available. Top up the key, or set max_tokens to 512 or less.",
  },
  invalid_request: {
    condition: "Something in the request is not as described here; the message names it.",
    example: "model: Field required",
    param: "model",
  },
  model_not_found: {
    condition: "No model has this id.",
    example: 'There is no model "your-model". GET /v1/models lists those this key may use.',
    param: "model",
  },
  not_found: { condition: "There is nothing at this path.", example: "There is nothing at this path." },
  method_not_allowed: {
    condition: "The path takes another method; the header `Allow` names it.",
    example: "/v1/models takes GET, not POST.",
  },
  context_length_exceeded: {
    condition: "The input does not fit into the model's context window.",
    example: "Input is about 900,000 tokens; your-model accepts at most 128,000. Shorten the input.",
  },
  idempotency_in_progress: {
    condition: "The request with this `Idempotency-Key` is still running. Ask again in a moment for its answer.",
    example: "A request with this Idempotency-Key is in progress. Ask again in a moment for its answer.",
  },
  idempotency_key_reuse: {
    condition: "This `Idempotency-Key` was used for a different request.",
    example: "This Idempotency-Key was used for a different request. Use one key per request.",
  },
  idempotency_replay_unavailable: {
    condition: "The request with this `Idempotency-Key` was completed and charged, but its answer was not kept.",
    example: "The request with this Idempotency-Key was completed and charged, but its answer was not kept.",
  },
  idempotency_stream_interrupted: {
    condition: "The stream with this `Idempotency-Key` broke off after part of it was delivered.",
    example: "The stream with this Idempotency-Key broke off after part of it was delivered. Use a new key.",
  },
  provider_unavailable: {
    condition: "No provider of the model can be reached at the moment. Nothing is charged.",
    example: "No provider can serve this model right now. Try again in a moment.",
  },
  upstream_error: {
    condition: "The provider failed, broke off, took too long or sent something unreadable. Nothing is charged.",
    example: "The provider broke off before the answer was complete. Trying again is safe.",
  },
  upstream_timeout: {
    condition: "The provider took too long. Format A says `upstream_error` instead.",
    example: "The provider took too long to answer. Trying again is safe.",
  },
  service_unavailable: {
    condition: "The gateway cannot serve the request at the moment. Nothing is charged.",
    example: "This gateway is shutting down. Try again; another one will answer.",
  },
  internal_error: {
    condition: "A mistake of the gateway's own. Nothing is charged.",
    example: "Something went wrong in the gateway. Trying again is safe.",
  },
};
