import type { Amounts } from "../money/amount.ts";
import type { CallFormat } from "./dialect.ts";

/** One call to a provider, in microseconds since the request came in. */
export type AttemptFacts = {
  provider: string;
  routeId: string;
  /** Where the route runs; null: it does not say. */
  region: string | null;
  beganUs: number;
  endedUs: number;
  status: number | null;
  /** A word of a fixed set; null: it was answered with success. */
  failure: string | null;
};

/** Steps of a request, in their order. */
export const REQUEST_STEPS = [
  "authenticated",
  "read",
  "checked",
  "admitted",
  "dispatched",
  "first_byte",
  "last_byte",
  "settled",
  "closed",
] as const;

export type RequestStep = (typeof REQUEST_STEPS)[number];

/** When a request got to each step, in microseconds since it came in; null: it did not get there. */
export type StepTimes = Record<Exclude<RequestStep, "closed">, number | null> & { closed: number };

/** What is known of a request when it has ended. Never a prompt, an answer or a secret. */
export type RequestFacts = {
  /** As clients see it. */
  requestId: string;
  keyId: string | null;
  /** The accounts above the key, from the root down. */
  accounts: readonly string[];
  route: string;
  dialect: CallFormat | null;
  /** As the client named it, cut to a bound; null where that is the model that was found, or was not read. */
  modelAsked: string | null;
  /** The model that was found. */
  model: string | null;
  priceVersion: number | null;
  status: number;
  code: string | null;
  outcome: string | null;
  streamed: boolean;
  replay: boolean;
  steps: StepTimes;
  providerUs: number;
  /** In their order; null: no provider was asked. */
  attempts: readonly AttemptFacts[] | null;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  held: Amounts | null;
  charged: Amounts | null;
  /** The message that the client got; null when it was not refused. */
  refusal: string | null;
  dropped: string | null;
  bytesOut: number;
  /** Of its spans, where it is sampled; else of the client's `traceparent`. 32 hexadecimal digits; null: neither is there. */
  traceId: string | null;
};

/** Keeps the facts. The client's User-Agent comes beside them: it may be long, and nobody should keep it as it is. */
export type RecordRequest = (facts: RequestFacts, userAgent: string | null) => void;
