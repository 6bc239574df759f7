import type { Header, Parameter, Reference } from "./document.ts";
import { EXAMPLE_MODEL } from "./examples.ts";

export const PARAMETERS = {
  modelId: {
    name: "id",
    in: "path",
    required: true,
    description: "The id of a model as the list has it. Slashes in it may be escaped or not.",
    schema: { type: "string", minLength: 1 },
    example: EXAMPLE_MODEL,
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "A name of your own for this request, such as a UUID. Sent again with the same body, it gets the same answer and is charged once. Kept for 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  compatVersion: {
    name: "compat-version",
    in: "header",
    required: false,
    description:
      "The version of this format the client speaks, as a date: the newest known version not after it. `2023-06-01` when absent or no date. Clients that send it as `anthropic-version` are understood too; `compat-version` wins when both are sent.",
    schema: { type: "string" },
  },
} as const satisfies Record<string, Parameter>;

/** Headers that stand in the description once and are referred to. */
export const SHARED_HEADERS: Record<string, Header> = {
  RequestId: {
    description: "The id of this request; quote it when you ask for help.",
    required: true,
    schema: { type: "string" },
  },
};

/** On every response, under two names. [interface decision 28] */
export const ID_HEADERS: Record<string, Reference> = {
  "x-request-id": { $ref: "#/components/headers/RequestId" },
  "request-id": { $ref: "#/components/headers/RequestId" },
};

/** What a refusal may carry besides; which of them it does carry is decided where it is rendered. */
export const RETRY_HEADERS: Record<
  "retry-after" | "x-should-retry" | "x-tollgate-renews-at",
  Omit<Header, "required">
> = {
  "retry-after": {
    description: "How many seconds to wait before trying again.",
    schema: { type: "integer", minimum: 0 },
  },
  "x-should-retry": {
    description: "Whether trying again can help.",
    schema: { type: "string", enum: ["true", "false"] },
  },
  "x-tollgate-renews-at": {
    description: "When a token budget that is used up renews, as an ISO 8601 instant.",
    schema: { type: "string" },
  },
};

/** On every answer to a key that has a limit, refusals included. */
export const RATE_HEADERS: Record<string, Header> = {
  "x-ratelimit-limit-requests": {
    description: "Requests per minute this key may make; absent when it has no limit.",
    required: false,
    schema: { type: "integer", minimum: 1 },
  },
  "x-ratelimit-remaining-requests": {
    description: "Requests that the last minute leaves this key.",
    required: false,
    schema: { type: "integer", minimum: 0 },
  },
  "x-ratelimit-reset-requests": {
    description: "How long until the key may make all of them again, in whole seconds such as `41s`.",
    required: false,
    schema: { type: "string" },
  },
};

export const GENERATION_HEADERS: Record<string, Header> = {
  "x-tollgate-fidelity": {
    description:
      "`exact` when the provider speaks this format, else `translated`; after `; dropped=` the fields that did not reach it, if any. A request with this header set to `strict` is refused with 400 instead of losing one.",
    required: false,
    schema: { type: "string" },
  },
  "x-tollgate-max-tokens": {
    description: "The output limit the provider was told, where the balance allows less than was asked for.",
    required: false,
    schema: { type: "integer", minimum: 1 },
  },
  ...RATE_HEADERS,
  "idempotent-replayed": {
    description: "`true` on an answer that was kept from an earlier request with this `Idempotency-Key`.",
    required: false,
    schema: { type: "string", const: "true" },
  },
};

export const COUNT_HEADERS: Record<string, Header> = {
  ...RATE_HEADERS,
  "x-tollgate-counted-by": {
    description: "`provider` when the model's provider counted; `estimate` when none does, or none was well.",
    required: true,
    schema: { type: "string", enum: ["provider", "estimate"] },
  },
};

export const USAGE_HEADERS: Record<string, Header> = {
  ...RATE_HEADERS,
  "x-service-credit-remaining": {
    description: "Credit keys: `credits.remaining`.",
    required: false,
    schema: { type: "number" },
  },
  "x-ratelimit-remaining-tokens": {
    description: "Token-budget keys: `tokens.remaining`.",
    required: false,
    schema: { type: "integer", minimum: 0 },
  },
};
