import type { Header, Parameter, Reference } from "./document.ts";
import { EXAMPLE_MODEL } from "./examples.ts";

export const PARAMETERS = {
  modelId: {
    name: "id",
    in: "path",
    required: true,
    description: "The model's `id` from the model list. Slashes in it can be percent-encoded or not.",
    schema: { type: "string", minLength: 1 },
    example: EXAMPLE_MODEL,
  },
  pageLimit: {
    name: "limit",
    in: "query",
    required: false,
    description: "Maximum rows per page, up to 200.",
    schema: { type: "integer", minimum: 1, maximum: 200, default: 50 },
  },
  pageAfter: {
    name: "after",
    in: "query",
    required: false,
    description: "`next` from the previous page; omit it for the first page.",
    schema: { type: "string" },
  },
  fileLimit: {
    name: "limit",
    in: "query",
    required: false,
    description: "Maximum rows, up to 1,000.",
    schema: { type: "integer", minimum: 1, maximum: 1_000, default: 1_000 },
  },
  fileAfter: {
    name: "after",
    in: "query",
    required: false,
    description: "From the `Link` header of the file before; omit it for the first.",
    schema: { type: "string" },
  },
  requestId: {
    name: "request",
    in: "path",
    required: true,
    description: "The id of the request, as in its header `x-request-id`.",
    schema: { type: "string" },
    example: "req_01890a5dac96774bbcceb302099a8057",
  },
  sessionId: {
    name: "session",
    in: "path",
    required: true,
    description: "The id of the session.",
    schema: { type: "string", format: "uuid" },
    example: "01890a5d-ac96-774b-bcce-b302099a8057",
  },
  requestModel: {
    name: "model",
    in: "query",
    required: false,
    description: "Only requests for this model.",
    schema: { type: "string" },
  },
  requestCode: {
    name: "code",
    in: "query",
    required: false,
    description: "Only requests that ended with this code: `ok`, `client_gone` or an error code.",
    schema: { type: "string" },
  },
  requestStatus: {
    name: "status",
    in: "query",
    required: false,
    description: "Only requests with this HTTP status.",
    schema: { type: "integer", minimum: 100, maximum: 599 },
  },
  requestOutcome: {
    name: "outcome",
    in: "query",
    required: false,
    description:
      "`error`: only requests that were rejected or failed. `client_gone`: only those whose client disconnected. `ok`: only the others.",
    schema: { type: "string", enum: ["ok", "error", "client_gone"] },
  },
  rangeFrom: {
    name: "from",
    in: "query",
    required: false,
    description: "Only requests at this time or later.",
    schema: { type: "string", format: "date-time" },
  },
  rangeTo: {
    name: "to",
    in: "query",
    required: false,
    description: "Only requests before this time.",
    schema: { type: "string", format: "date-time" },
  },
  seriesStep: {
    name: "step",
    in: "query",
    required: false,
    description: "The length of a step; omit it for one that fits. Steps of 5 minutes are kept for 8 days.",
    schema: { type: "string", enum: ["5m", "1h", "1d"] },
  },
  seriesBy: {
    name: "by",
    in: "query",
    required: false,
    description: "Adds sums for each of the 20 most expensive models or codes.",
    schema: { type: "string", enum: ["model", "code"] },
  },
  days: {
    name: "days",
    in: "query",
    required: false,
    description: "How many days back, up to 31.",
    schema: { type: "integer", minimum: 1, maximum: 31, default: 7 },
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "A unique value that you choose for this request, such as a UUID. If you repeat the request with the same key and body within 24 hours, you get the stored response and are charged once.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]{1,255}$" },
  },
  compatVersion: {
    name: "compat-version",
    in: "header",
    required: false,
    description:
      "The version of the Anthropic format that the client uses, as a date. It selects the newest known version that is not later. Defaults to `2023-06-01`, also when the value is not a date. `anthropic-version` is accepted as another name; `compat-version` wins if both are sent.",
    schema: { type: "string" },
  },
} as const satisfies Record<string, Parameter>;

/** Headers that stand in the description once and are referred to. */
export const SHARED_HEADERS: Record<string, Header> = {
  RequestId: {
    description: "The id of this request. Quote it when you ask for help.",
    required: true,
    schema: { type: "string" },
  },
};

/** On every response, under two names. [interface decision 28] */
export const ID_HEADERS: Record<string, Reference> = {
  "x-request-id": { $ref: "#/components/headers/RequestId" },
  "request-id": { $ref: "#/components/headers/RequestId" },
};

/** What an error response can carry in addition; rendering it decides which. */
export const RETRY_HEADERS: Record<
  "retry-after" | "x-should-retry" | "x-tollgate-renews-at",
  Omit<Header, "required">
> = {
  "retry-after": {
    description: "Number of seconds to wait before you retry.",
    schema: { type: "integer", minimum: 0 },
  },
  "x-should-retry": {
    description: "Whether a retry can succeed.",
    schema: { type: "string", enum: ["true", "false"] },
  },
  "x-tollgate-renews-at": {
    description: "When the used-up token budget renews, as an ISO 8601 time.",
    schema: { type: "string" },
  },
};

/** On every response to a key that has a limit, errors included. */
export const RATE_HEADERS: Record<string, Header> = {
  "x-ratelimit-limit-requests": {
    description: "The key's rate limit in requests per minute. Absent if the key has no limit.",
    required: false,
    schema: { type: "integer", minimum: 1 },
  },
  "x-ratelimit-remaining-requests": {
    description: "Requests the key can still make in the current minute.",
    required: false,
    schema: { type: "integer", minimum: 0 },
  },
  "x-ratelimit-reset-requests": {
    description: "Time until the full rate limit is available again, in whole seconds such as `41s`.",
    required: false,
    schema: { type: "string" },
  },
};

export const GENERATION_HEADERS: Record<string, Header> = {
  "cache-control": {
    description: "`no-store` on streams and replays.",
    required: false,
    schema: { type: "string", const: "no-store" },
  },
  "x-accel-buffering": {
    description: "`no` on streams and replays, so that proxies such as nginx forward each event at once.",
    required: false,
    schema: { type: "string", const: "no" },
  },
  "x-tollgate-fidelity": {
    description:
      "`exact` if the provider uses the same format as the request, otherwise `translated`. `; dropped=` lists request fields that did not reach the provider, including names that differ from a known field only by case, and `fallbacks`. Send this header as `strict` to get 400 instead of a dropped field.",
    required: false,
    schema: { type: "string" },
  },
  "x-tollgate-cost": {
    description:
      "Credits charged for this response, as an exact decimal such as `0.000246`. Sent to credit keys on responses that are not streamed, and on every replay, where it is `0`. A stream's headers are sent before its cost is known.",
    required: false,
    schema: { type: "string", pattern: "^\\d+(\\.\\d+)?$" },
  },
  "x-tollgate-charged-tokens": {
    description: "The same for keys with a token budget: the tokens charged for this response.",
    required: false,
    schema: { type: "integer", minimum: 0 },
  },
  "x-tollgate-max-tokens": {
    description: "The output limit sent to the provider, if the available balance made it lower than requested.",
    required: false,
    schema: { type: "integer", minimum: 1 },
  },
  ...RATE_HEADERS,
  "idempotent-replayed": {
    description: "`true` if this is the stored response of an earlier request with the same `Idempotency-Key`.",
    required: false,
    schema: { type: "string", const: "true" },
  },
};

export const COUNT_HEADERS: Record<string, Header> = {
  ...RATE_HEADERS,
  "x-tollgate-counted-by": {
    description:
      "`provider` if a provider counted the tokens. `estimate` if the gateway counted them because no provider of the model offers a count or returned one in time.",
    required: true,
    schema: { type: "string", enum: ["provider", "estimate"] },
  },
};

export const USAGE_HEADERS: Record<string, Header> = {
  ...RATE_HEADERS,
  "x-service-credit-remaining": {
    description: "For credit keys: the same value as `credits.remaining`.",
    required: false,
    schema: { type: "number" },
  },
  "x-ratelimit-remaining-tokens": {
    description: "For token-budget keys: the same value as `tokens.remaining`.",
    required: false,
    schema: { type: "integer", minimum: 0 },
  },
};

/** As of a generation that is not streamed; there is no output to limit. */
export const EMBEDDINGS_HEADERS: Record<string, Header> = Object.fromEntries(
  Object.entries(GENERATION_HEADERS).filter(([name]) => name !== "x-tollgate-max-tokens"),
);
