import type { FaultCode } from "../../core/fault.ts";
import { fieldProblem, tryAgainIn } from "../../core/request/parsed-texts.ts";

type RefusalWords = {
  /** When a client gets this error. */
  cause: string;
  /** What to do about it. */
  fix: string;
  /** A message that the gateway sends with it. */
  example: string;
  param?: string;
  /** When the budget in the example renews. */
  renewsAt?: string;
};

/**
 * The words of every error, for the OpenAPI description and for docs/reference/errors.md. Adding a fault code does not compile
 * until it is explained here. [spec 7.2]
 */
export const REFUSAL_WORDS: Record<FaultCode, RefusalWords> = {
  invalid_credentials: {
    cause:
      "The key is missing, malformed, unknown, revoked or suspended, belongs to the other base URL, or was sent in two headers.",
    fix: "Send one valid key as `Authorization: Bearer <key>`. If the key belongs to another base URL, the message names it.",
    example: "The API key is not valid. Check that it was copied in full and has not been revoked.",
  },
  key_expired: {
    cause: "The key has expired.",
    fix: "Ask the operator to extend the key, or use another one.",
    example: "This API key expired on 2026-06-30T00:00:00.000Z. Ask the operator to extend it, or use another key.",
  },
  key_disabled: {
    cause:
      "The key or its account is disabled, or the key is not allowed to use this model, its provider or this service tier.",
    fix: "Ask the operator to enable the key, or use a model that `GET /v1/models` lists for it, in the usual tier.",
    example: "This API key is disabled. Ask the operator to enable it.",
  },
  rate_limit_exceeded: {
    cause:
      "The key has reached its requests per minute or its share of requests in progress, or too many unknown keys came from your address.",
    fix: "Wait the number of seconds in `Retry-After`, then retry.",
    example: `Rate limit reached: 60 requests per minute. ${tryAgainIn(2)}`,
  },
  balance_temporarily_reserved: {
    cause:
      "Requests in progress, of this key or of others under its account, have reserved the balance that this request needs.",
    fix: "Retry when they finish, or set the output limit that the message names.",
    example:
      "This request needs at least 0.02 credits. The key has 0.03 credits: 0.02 credits reserved by requests in progress, 0.01 credits available. Try again when they finish, or set max_tokens to 512 or less.",
  },
  limit_reached: {
    cause: "The token budget of the key, or a token limit of its account, is used up for this period.",
    fix: "Wait until the time in `x-tollgate-renews-at`, or ask the operator for a larger budget. Retrying earlier does not help.",
    example: "This key's token budget is used up. It renews at 2026-12-01T00:00:00.000Z.",
    renewsAt: "2026-12-01T00:00:00.000Z",
  },
  insufficient_credit: {
    cause:
      "The key, or an account that it belongs to, has less credit or fewer tokens than the request needs to start.",
    fix: "Top up the key, wait until the time in `x-tollgate-renews-at` if there is one, or set the output limit that the message names.",
    example:
      "Not enough credit: this request needs at least 0.02 credits and the key has 0.01 credits available. Top up the key, or set max_tokens to 512 or less.",
  },
  invalid_request: {
    cause: "The body or a header is not valid, or the provider rejected the request. The message names the problem.",
    fix: "Correct the field at the start of the message; in Format A `param` holds it too.",
    example: fieldProblem("model", "Field required"),
    param: "model",
  },
  model_not_found: {
    cause: "No model has this id, or keys of this kind can't use it.",
    fix: "Use an id from `GET /v1/models`.",
    example: 'There is no model "your-model". GET /v1/models lists the models this key can use.',
    param: "model",
  },
  not_found: {
    cause: "The path does not exist.",
    fix: "Check the base URL: paths start with `/v1`, or with `/token/v1` for token-budget keys.",
    example: "There is nothing at /v1/model. Did you mean /v1/models?",
  },
  method_not_allowed: {
    cause: "The path does not accept this method.",
    fix: "Use a method that the header `Allow` lists.",
    example: "/v1/responses accepts POST, not GET.",
  },
  upgrade_required: {
    cause:
      "The client asked for a WebSocket at `/v1/responses`, and WebSockets are off. Codex then uses HTTP by itself.",
    fix: "Send `POST /v1/responses`, or ask the operator to set `websocket.enabled: on`.",
    example:
      "Responses over WebSocket are off. Send POST /v1/responses, or ask the operator to set `websocket.enabled: on`.",
  },
  previous_response_not_found: {
    cause:
      "On a WebSocket, `previous_response_id` names a response that is not the last one of this socket, or that the gateway no longer keeps.",
    fix: "Send the whole conversation in `input`, without `previous_response_id`. Codex does so by itself.",
    example:
      "The response of this previous_response_id is not available on this socket. Send the whole conversation in `input`.",
    param: "previous_response_id",
  },
  websocket_connection_limit_reached: {
    cause: "The WebSocket has been open for as long as one may be.",
    fix: "Open a new WebSocket. Codex does so by itself.",
    example: "This WebSocket has reached its limit of 60 minutes. Open a new one to continue.",
  },
  context_length_exceeded: {
    cause: "The input does not fit in the model's context window.",
    fix: "Shorten the input, or use a model with a larger context window.",
    example: "Input is about 900,000 tokens; your-model accepts at most 128,000. Shorten the input.",
  },
  idempotency_in_progress: {
    cause: "The request with this `Idempotency-Key` is still running.",
    fix: "Retry with the same key after the number of seconds in `Retry-After`. You get the response of the first request.",
    example: `A request with this Idempotency-Key is in progress. ${tryAgainIn(2)} You get its response and won't be charged twice.`,
  },
  idempotency_key_reuse: {
    cause: "This `Idempotency-Key` was used for a different request.",
    fix: "Use a new key for each request. Reuse a key only to retry the same request.",
    example:
      "This Idempotency-Key was used for a different request. Use a new key for each request; reuse one only to retry the same operation and body.",
  },
  idempotency_replay_unavailable: {
    cause: "The request with this `Idempotency-Key` completed and was charged, but its response was not stored.",
    fix: "Use a new key to run the request again; it is charged again.",
    example:
      "The request with this Idempotency-Key completed and was charged, but its response was not stored. Use a new key to run it again.",
  },
  idempotency_stream_interrupted: {
    cause: "The stream with this `Idempotency-Key` was interrupted after part of it was delivered.",
    fix: "Use a new key to run the request again.",
    example:
      "The stream with this Idempotency-Key was interrupted after part of it was delivered. It can't be replayed or repeated. Use a new key.",
  },
  request_cancelled: {
    cause: "The operator cancelled the request while it was in progress. You pay for the output delivered so far.",
    fix: "Ask the operator before you send it again.",
    example: "The operator cancelled this request. Ask the operator before you send it again.",
  },
  provider_unavailable: {
    cause: "The model's providers are unreachable, overloaded or misconfigured. You are not charged.",
    fix: "Retry with backoff. If the error persists, contact the operator.",
    example: "No provider can serve this model right now. Try again in a moment.",
  },
  upstream_error: {
    cause:
      "The provider failed, ended its response early or sent a response that can't be read; you are not charged. Or the response exceeded a size limit of the gateway: the message says so, and a stream is charged for what was delivered.",
    fix: "Retry with backoff. If a limit was exceeded, request a shorter response.",
    example: "The provider ended the response before it was complete. It is safe to retry.",
  },
  upstream_timeout: {
    cause:
      "The provider took too long to respond, or gave up with 408 or 504. You are not charged. Format A returns `upstream_error` instead.",
    fix: "Retry with backoff, stream the response, or request a shorter one.",
    example: "The provider took too long to respond. It is safe to retry.",
  },
  service_unavailable: {
    cause:
      "The gateway is shutting down, is at capacity or can't reach its database, or a limit of your key can't be used because a clock was wrong. You are not charged.",
    fix: "Wait the number of seconds in `Retry-After`, then retry.",
    example: "Billing is temporarily unavailable, so no requests are started. Try again in a few seconds.",
  },
  internal_error: {
    cause: "The gateway has a bug. You are not charged.",
    fix: "Retry with backoff. If the error persists, report the request id to the operator.",
    example: "Unexpected gateway error. It is safe to retry. If it persists, report the request id.",
  },
};
